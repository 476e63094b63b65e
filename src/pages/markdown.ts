import { html } from 'hono/html'
import type { Html } from './layout.ts'
import { ADDRESS, withLinks } from './web-links.ts'

/**
 * Markdown without anything active: HTML is shown as text, images from other servers are not loaded, a link shows where
 * it leads, and only web addresses become links, whether marked or bare.
 */
export function markdown(text: string): Html {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blocks: Html[] = []
  let at = 0
  while (at < lines.length) {
    const block = BLOCKS.map(read => read(lines, at)).find(found => found !== null)
    const { made, next } = block ?? paragraph(lines, at)
    blocks.push(made)
    at = next
  }
  return html`<div class="prose" dir="auto">${blocks}</div>`
}

interface Block {
  made: Html
  next: number
}

type ReadBlock = (lines: readonly string[], at: number) => Block | null

const HEADING = /^(#{1,6})\s+(.*)$/
const FENCE = /^\s*(`{3,}|~{3,})/
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/
const QUOTE = /^\s*>\s?(.*)$/
const ROW = /^\s*\|(.+)\|\s*$/
const DIVIDER = /^[\s:|-]+$/

const BLOCKS: readonly ReadBlock[] = [
  (lines, at) => (lines[at]?.trim() === '' ? { made: html``, next: at + 1 } : null),
  (lines, at) => {
    const [, marks, words = ''] = HEADING.exec(lines[at] ?? '') ?? []
    if (!marks) return null
    // The page has its own title, and heading levels below it must not be skipped, for screen readers.
    const title = inline(withoutHashes(words))
    const made = marks.length === 1 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`
    return { made, next: at + 1 }
  },
  (lines, at) => {
    const fence = FENCE.exec(lines[at] ?? '')?.[1]
    if (!fence) return null
    const end = lines.findIndex((line, index) => index > at && line.trim().startsWith(fence))
    const stop = end === -1 ? lines.length : end
    return { made: code(lines.slice(at + 1, stop)), next: stop + 1 }
  },
  (lines, at) => (RULE.test(lines[at] ?? '') ? { made: html`<hr>`, next: at + 1 } : null),
  (lines, at) => {
    const quoted = whileMatching(lines, at, QUOTE)
    if (quoted.length === 0) return null
    return {
      made: html`<blockquote>${spaced(quoted.map(match => match[1] ?? ''))}</blockquote>`,
      next: at + quoted.length,
    }
  },
  (lines, at) => {
    const rows = whileMatching(lines, at, ROW).map(match => match[1] ?? '')
    if (rows.length < 2 || !DIVIDER.test(rows[1] ?? '')) return null
    const cells = (row: string) => row.split('|').map(cell => cell.trim())
    const made = html`<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${cells(
      rows[0] ?? '',
    ).map(cell => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead><tbody>${rows
      .slice(2)
      .map(
        row => html`<tr>${cells(row).map(cell => html`<td>${inline(cell)}</td>`)}</tr>`,
      )}</tbody></table></div>`
    return { made, next: at + rows.length }
  },
  (lines, at) => {
    if (!ITEM.test(lines[at] ?? '')) return null
    const items: { depth: number; mark: string; words: string[] }[] = []
    let next = at
    for (; next < lines.length; next++) {
      const line = lines[next] ?? ''
      const [, indent = '', mark, words = ''] = ITEM.exec(line) ?? []
      if (mark)
        items.push({
          depth: Math.min(3, Math.floor(indent.replaceAll('\t', '  ').length / 2)),
          mark,
          words: [words],
        })
      else if (/^\s+\S/.test(line)) items.at(-1)?.words.push(line.trim())
      else break
    }
    const list = items.map(({ depth, mark, words }) => item(depth, mark, words.join(' ')))
    return { made: html`<ul class="plain items">${list}</ul>`, next }
  },
]

/** A heading may end with hashes. They are counted here, because a pattern would take long for very many. */
function withoutHashes(words: string): string {
  let end = words.trimEnd().length
  while (words[end - 1] === '#') end--
  return words.slice(0, end).trimEnd()
}

function item(depth: number, mark: string, words: string): Html {
  const [, tick, rest = ''] = /^\[([ xX])\]\s+(.*)$/.exec(words) ?? []
  const sign = tick ? (tick === ' ' ? '☐' : '☑') : /^\d/.test(mark) ? mark : '•'
  return html`<li class="depth-${String(depth)}"><span class="sign">${sign}</span> <span>${inline(tick ? rest : words)}</span></li>`
}

function code(lines: readonly string[]): Html {
  return html`<pre tabindex="0"><code>${lines.join('\n')}</code></pre>`
}

function whileMatching(lines: readonly string[], at: number, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  for (let next = at; next < lines.length; next++) {
    const match = pattern.exec(lines[next] ?? '')
    if (!match) break
    found.push(match)
  }
  return found
}

function paragraph(lines: readonly string[], at: number): Block {
  let next = at + 1
  while (next < lines.length && !startsBlock(lines[next] ?? '')) next++
  return { made: html`<p>${spaced(lines.slice(at, next))}</p>`, next }
}

function startsBlock(line: string): boolean {
  return line.trim() === '' || [HEADING, FENCE, RULE, QUOTE, ITEM].some(pattern => pattern.test(line))
}

/** Line breaks are kept, because notes and messages are written line by line. */
function spaced(lines: readonly string[]): Html {
  return html`${lines.map((line, index) => (index === 0 ? inline(line) : html`<br>${inline(line)}`))}`
}

// Bounded, and with one way to read each part, so that no text makes this slow.
const MARKED =
  /`([^`]{1,2000})`|(!?)\[([^\]]{0,500})\]\(([^)\s]{1,2000})(?:\s[^)]{0,200})?\)|!?\[\[([^\]]{1,500})\]\]|(\*\*|__)([^*_]{1,2000})\6|~~([^~]{1,2000})~~|(?<![\w*_])([*_])([^\s*_][^*_]{0,2000})\9(?![\w])/u
/** Marks inside a web address are part of it. */
const INLINE = new RegExp(`${ADDRESS.source}|${MARKED.source}`, 'giu')

function inline(text: string): Html {
  const parts: Html[] = []
  let from = 0
  for (const match of text.matchAll(INLINE)) {
    if (/^http/i.test(match[0])) continue
    parts.push(withLinks(text.slice(from, match.index)), marked(match))
    from = match.index + match[0].length
  }
  return html`${[...parts, withLinks(text.slice(from))]}`
}

function marked(match: RegExpExecArray): Html {
  const [whole, literal, picture, label, address, wiki, , strong, struck, , emphasis] = match
  if (literal !== undefined) return html`<code>${literal}</code>`
  if (address !== undefined)
    return picture
      ? html`<span class="soft">[picture: ${label || address}]</span>`
      : link(label ?? '', address)
  if (wiki !== undefined) return wikiLink(wiki)
  if (strong !== undefined) return html`<strong>${withLinks(strong)}</strong>`
  if (struck !== undefined) return html`<s>${withLinks(struck)}</s>`
  return emphasis === undefined ? html`${whole}` : html`<em>${withLinks(emphasis)}</em>`
}

/** A link to another note leads to the search for its title. */
function wikiLink(wiki: string): Html {
  const [target = '', label = target] = wiki.split('|')
  const title = target.replace(/#.*$/, '').split('/').at(-1)?.trim() ?? ''
  if (title === '') return html`<span class="wiki">${label}</span>`
  const query = new URLSearchParams({ q: `"${title.replaceAll('"', ' ')}"` })
  return html`<a class="wiki" href="/search?${query.toString()}">${label}</a>`
}

function link(label: string, address: string): Html {
  const url = /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address) : null
  if (!url) return html`${label} <span class="soft">(${address})</span>`
  // Another host can be part of a label: pal.com of paypal.com.
  const told = URL.canParse(label) ? new URL(label).host : label
  const where = told === url.host ? '' : html` <span class="soft small">(${url.host})</span>`
  return html`<a dir="auto" href="${url.href}" rel="noreferrer noopener nofollow">${label}</a>${where}`
}
