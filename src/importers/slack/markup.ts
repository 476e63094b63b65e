import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { idIn, unescaped } from '../reading/json-values.ts'

/** Names for the ids in messages. */
export interface Names {
  user(id: string): string | null
  channel(id: string): string | null
}

export interface Rendered {
  text: string
  links: string[]
  mentions: string[]
}

/** Slack's markup as plain text: `<@U1>` becomes `@Name`, `<https://…|label>` becomes `label (https://…)`. */
export function renderMarkup(text: string, names: Names): Rendered {
  const links = new Set<string>()
  const mentions = new Set<string>()
  const plain = text.replace(/<([^<>\n]*)>/g, (written, inner: string) => {
    const bar = inner.indexOf('|')
    const target = bar < 0 ? inner : inner.slice(0, bar)
    const label = bar < 0 ? '' : inner.slice(bar + 1)
    if (target.startsWith('@')) {
      const id = target.slice(1)
      const name = names.user(id) ?? (unescaped(label).replace(/^@/, '') || id)
      mentions.add(name)
      return `@${name}`
    }
    if (target.startsWith('#')) {
      const id = target.slice(1)
      return `#${label || (names.channel(id) ?? id)}`
    }
    if (target.startsWith('!')) return special(target.slice(1), label)
    if (/^(https?|ftp|mailto|tel|slack):/i.test(target)) {
      const address = target.replace(/^(mailto|tel):/i, '')
      if (/^(https?|ftp):/i.test(target)) links.add(unescaped(target))
      return label && label !== address && label !== target ? `${label} (${address})` : address
    }
    return written
  })
  return { text: unescaped(plain), links: [...links], mentions: [...mentions] }
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^123^{date}|a day>`. */
function special(command: string, label: string): string {
  if (label) return label
  const [name = '', id = ''] = command.split('^')
  return name === 'subteam' ? `@${id}` : `@${name}`
}

/** The text of blocks, for messages without other text: messages of bots, and rich text. */
export function textOfBlocks(blocks: Json | undefined, names: Names): Rendered {
  const links = new Set<string>()
  const mentions = new Set<string>()
  const markup = (text: string): string => {
    const rendered = renderMarkup(text, names)
    for (const link of rendered.links) links.add(link)
    for (const mention of rendered.mentions) mentions.add(mention)
    return rendered.text
  }
  const list = (value: Json | undefined, between: string): string =>
    (Array.isArray(value) ? value : [])
      .map(node)
      .filter(part => part !== '')
      .join(between)
  const node = (value: Json): string => {
    if (!isObject(value)) return ''
    switch (value.type) {
      case 'mrkdwn':
        return markup(written(value.text))
      case 'plain_text':
        return written(value.text)
      case 'text':
        return written(value.text)
      case 'user':
        return markup(`<@${written(value.user_id)}>`)
      case 'channel':
        return markup(`<#${written(value.channel_id)}>`)
      case 'usergroup':
        return `@${written(value.usergroup_id)}`
      case 'broadcast':
        return `@${written(value.range)}`
      case 'emoji':
        return `:${written(value.name)}:`
      case 'link':
        return markup(
          value.text ? `<${written(value.url)}|${written(value.text)}>` : `<${written(value.url)}>`,
        )
      case 'date':
        return written(value.fallback ?? value.timestamp)
      case 'rich_text':
        return list(value.elements, '\n')
      case 'rich_text_list':
        return (Array.isArray(value.elements) ? value.elements : []).map(item => `- ${node(item)}`).join('\n')
      case 'rich_text_quote':
        return `> ${list(value.elements, '')}`
      case 'rich_text_section':
      case 'rich_text_preformatted':
        return list(value.elements, '')
      case 'context':
      case 'actions':
        return list(value.elements, ' ')
      case 'button':
        return partsOf(value, ['text']).map(node).join('')
      case 'image':
        return written(value.alt_text)
      default:
        return [...partsOf(value, ['title', 'text']).map(node), list(value.fields, '\n')]
          .filter(part => part !== '')
          .join('\n')
    }
  }
  return { text: list(blocks, '\n'), links: [...links], mentions: [...mentions] }
}

function partsOf(value: JsonObject, keys: string[]): Json[] {
  return keys.flatMap(key => (value[key] === undefined ? [] : [value[key] as Json]))
}

function written(value: Json | undefined): string {
  return idIn(value) ?? ''
}
