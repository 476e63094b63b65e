import { isObject, type Json, type JsonObject } from '../../model/json.ts'

const HEADER = /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?$/
const BARE_KEY = /^[A-Za-z0-9_-]+$/

/** A table as TOML: one line for each key. Names are bare keys. */
export function tomlTable(place: readonly string[], entry: JsonObject): string {
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}`)
  return `[${place.join('.')}]\n${lines.join('\n')}\n`
}

function tomlValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, child]) => {
    return `${BARE_KEY.test(key) ? key : JSON.stringify(key)} = ${tomlValue(child)}`
  })
  return `{ ${pairs.join(', ')} }`
}

interface Block {
  start: number
  end: number
}

/** The table's text with its inner tables; null if it does not exist, undefined if it is written in another way. */
export function readTomlTable(text: string, place: readonly string[]): string | null | undefined {
  const blocks = blocksOf(text, place)
  if (blocks === undefined) return undefined
  return blocks.length === 0 ? null : blocks.map(({ start, end }) => text.slice(start, end)).join('')
}

/** The text with the table replaced, or with the table appended. */
export function withTomlTable(text: string, place: readonly string[], table: string): string {
  const [first, ...rest] = blocksOf(text, place) ?? []
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const written = table.replaceAll('\n', eol)
  if (!first) {
    const gap = text.trim() === '' ? '' : `${text.endsWith('\n') ? '' : eol}${eol}`
    return `${text}${gap}${written}`
  }
  let result = text
  for (const { start, end } of rest.toReversed()) result = result.slice(0, start) + result.slice(end)
  const tail = result.slice(first.end)
  return `${result.slice(0, first.start)}${written}${tail === '' ? '' : eol}${tail}`
}

/** Where `[a.b]` and `[a.b.…]` are. Undefined if `a` or `a.b` is not written with its own headers. */
function blocksOf(text: string, place: readonly string[]): Block[] | undefined {
  const blocks: Block[] = []
  let open: Block | null = null
  let table: string[] = []
  let quote: string | null = null
  let offset = 0
  for (const line of text.split(/(?<=\n)/)) {
    const start = offset
    offset += line.length
    const header: string[] | null = quote === null ? headerOf(line) : null
    if (header) {
      if (open) open.end = start
      table = header
      const ours = place.every((part, index) => header[index] === part)
      open = ours ? { start, end: text.length } : null
      if (open) blocks.push(open)
    } else if (quote === null && writesOtherwise(line, table, place)) return undefined
    quote = quoteAfter(line, quote)
  }
  return blocks
}

function headerOf(line: string): string[] | null {
  const inside = HEADER.exec(line.trimEnd())?.[1]
  return inside === undefined ? null : keyParts(inside)
}

function keyParts(key: string): string[] {
  const parts = key.match(/"(?:\\.|[^"\\])*"|'[^']*'|[^.\s"']+/g) ?? []
  return parts.map(part => (/^["']/.test(part) ? part.slice(1, -1) : part))
}

/** `mcp_servers = {…}`, `mcp_servers.x = {…}`, or `x = {…}` under `[mcp_servers]`. */
function writesOtherwise(line: string, table: readonly string[], place: readonly string[]): boolean {
  const key = /^\s*((?:"(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_.\s-])+?)\s*=/.exec(line)?.[1]
  if (key === undefined) return false
  const whole = [...table, ...keyParts(key)]
  const inside = place.every((part, index) => table[index] === part)
  const length = Math.min(whole.length, place.length)
  return !inside && place.slice(0, length).every((part, index) => whole[index] === part)
}

/** The kind of quotes of a multi-line text that is still open after this line. */
function quoteAfter(line: string, quote: string | null): string | null {
  let open = quote
  for (const mark of line.match(/"""|'''/g) ?? []) {
    if (open === null) open = mark
    else if (open === mark) open = null
  }
  return open
}
