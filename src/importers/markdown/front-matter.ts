import { parse } from 'yaml'
import { isObject, isTooDeep, type Json, type JsonObject } from '../../model/json.ts'

interface FrontMatter {
  properties: JsonObject
  /** Why the block at the top cannot be parsed; it is then kept in the text. */
  problem: string | null
  body: string
}

const BLOCK = /^---[ \t]*\n([\s\S]*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|$)/
/** The YAML parser takes quadratic time for some texts. Real properties are far shorter than this. */
const MOST_CHARS = 16 * 1024
const MOST_ALIASES = 50
const TOO_DEEP = 'The properties are nested too deeply.'

/** The properties at the top of a note, between lines of `---`, and the text below them. */
export function frontMatterOf(text: string): FrontMatter {
  const none = { properties: {}, problem: null, body: text }
  if (!text.startsWith('---')) return none
  const match = BLOCK.exec(text)
  if (!match) return none
  if ((match[1] ?? '').length > MOST_CHARS) {
    return {
      ...none,
      problem: `The properties are longer than ${MOST_CHARS.toLocaleString('en-US')} characters.`,
    }
  }
  const body = text.slice(match[0].length).replace(/^\n+/, '')
  try {
    const options = { maxAliasCount: MOST_ALIASES, logLevel: 'error', uniqueKeys: false } as const
    const value: unknown = parse(match[1] ?? '', options)
    if (value === null || value === undefined) return { properties: {}, problem: null, body }
    const properties = JSON.parse(JSON.stringify(value)) as Json
    // A line of text between two rules is not a list of properties.
    if (!isObject(properties)) return none
    if (isTooDeep(properties, 50)) return { ...none, problem: TOO_DEEP }
    return { properties, problem: null, body }
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n')
    // The parser reports where the stack ended, which differs from one reading to the next.
    if (/call stack/.test(reason)) return { ...none, problem: TOO_DEEP }
    return { ...none, problem: `The properties are not YAML: ${reason.replace(/:$/, '.')}` }
  }
}

/** Below the title of a page, as Notion writes them: `Created: January 5, 2026`. */
export function notionPropertiesOf(text: string): JsonObject {
  const [, lines = ''] = /^# [^\n]*\n\n((?:[^\n:]{1,100}: [^\n]*\n)+)/.exec(text.slice(0, MOST_CHARS)) ?? []
  return Object.fromEntries(
    lines.split('\n').flatMap(line => {
      const colon = line.indexOf(': ')
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 2)]] : []
    }),
  )
}

/** A property by any of these names, ignoring case, spaces, `_` and `-`. */
export function propertyNamed(properties: JsonObject, names: readonly string[]): Json | undefined {
  const known = new Map(Object.entries(properties).map(([name, value]) => [simple(name), value]))
  for (const name of names) {
    const value = known.get(simple(name))
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}

function simple(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '')
}

/** A list that may be written as one text: `a, b` or `#a #b`. */
export function listOf(value: Json | undefined, separator: RegExp): string[] {
  const items = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(separator)
      : [value ?? null]
  return items
    .filter(item => typeof item === 'string' || typeof item === 'number')
    .map(item => String(item).trim())
    .filter(item => item !== '')
}
