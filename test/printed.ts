import type { Loose, Seen } from './mcp-client.ts'

export interface PrintedCall {
  tool: string
  args: Record<string, unknown>
}

/** Everything that an answer offers to its reader: calls, links for people, URIs of resources. */
interface Printed {
  calls: PrintedCall[]
  links: string[]
  resources: string[]
}

const TOOL =
  /(?<![\w"\\])(schema|query_records|aggregate|search|fetch|read_record_field|read_conversation) (?=\{)/g
const AGAIN = /the same (?:search|query) with (?=\{)/g

/** What the text of an answer offers. Record text in fences and quotes is ignored. */
function printedInText(text: string, asked: PrintedCall, ids: readonly string[]): Printed {
  if (text.startsWith('{"id":') && !text.includes('"boundary":'))
    return printedInStructure(JSON.parse(text), asked)
  const { own, calls } = withoutFences(text)
  for (const { index, 0: found, 1: tool = '' } of own.matchAll(TOOL)) {
    const args = jsonAt(own, index + found.length)
    if (args) calls.push({ tool, args })
  }
  for (const { index, 0: found } of own.matchAll(AGAIN)) {
    const { cursor: _, ...before } = asked.args
    const change = jsonAt(own, index + found.length)
    if (change) calls.push({ tool: asked.tool, args: { ...before, ...change } })
  }
  const unquoted = own.replace(/"(?:\\.|[^"\\])*"/g, '""')
  const links = [...unquoted.matchAll(/https?:\/\/\S+/g)].map(([link]) => link)
  const pattern = links.find(link => link.includes('/r/ID?'))
  return {
    calls,
    links: [
      ...links.filter(link => !link.includes('/r/ID?')),
      ...(pattern === undefined ? [] : formedLinks(own, pattern, ids)),
    ],
    resources: [],
  }
}

/** Removes record text, and reads the header of a window or a conversation. */
function withoutFences(text: string): { own: string; calls: PrintedCall[] } {
  const line = text.indexOf('\n')
  const header: Loose = text.startsWith('{"id":') ? JSON.parse(text.slice(0, line)) : null
  if (!header) return { own: text, calls: [] }
  const { boundary, id, connection_id, field_path, next_cursor, previous_cursor } = header
  const own = text.slice(line).replace(new RegExp(`<<<${boundary}\n[\\s\\S]*?\n${boundary}>>>`, 'g'), '')
  const record = { id, ...(connection_id === undefined ? {} : { connection_id }) }
  const cursors = [next_cursor, previous_cursor].filter(cursor => typeof cursor === 'string')
  const calls = cursors.map(cursor =>
    field_path === undefined
      ? { tool: 'read_conversation', args: { ...record, cursor } }
      : { tool: 'read_record_field', args: { ...record, field_path, cursor } },
  )
  return { own, calls }
}

/** The links that a reader builds from ids, fields and ranges, following the pattern. */
function formedLinks(text: string, pattern: string, ids: readonly string[]): string[] {
  const [page = ''] = pattern.split('?')
  const found: string[] = []
  let id: string | null = null
  for (const line of text.split('\n')) {
    // An id with spaces is on its own line.
    const named = ids.find(each => line === each || line.startsWith(`${each} `))
    if (named !== undefined) id = /^[A-Za-z0-9._:~/-]+$/.test(named) && !named.includes('//') ? named : null
    if (id === null) continue
    const [, field, from, to] = /^ {2}([A-Za-z0-9._:~/-]+) (\d+)-(\d+)(?: of \d+)?: "/.exec(line) ?? []
    if (named !== undefined) found.push(page.replace('ID', id))
    else if (field !== undefined)
      found.push(
        pattern.replace('ID', id).replace('FIELD', field).replace('FROM', `${from}`).replace('TO', `${to}`),
      )
  }
  return found
}

/** The JSON object that begins at a position in a text; null if there is none. */
function jsonAt(text: string, start: number): Record<string, unknown> | null {
  let depth = 0
  let quoted = false
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (quoted && char === '\\') i++
    else if (char === '"') quoted = !quoted
    else if (!quoted && char === '{') depth++
    else if (!quoted && char === '}' && --depth === 0) {
      try {
        return JSON.parse(text.slice(start, i + 1))
      } catch {
        return null
      }
    }
  }
  return null
}

const LINKS = ['url', 'uri', 'more_at', 'export_url']
/** Members with content of records, which the server did not write. */
const RECORD_DATA = ['text', 'snippet', 'preview', 'match_windows', 'title', 'author']

/** What structured content offers. */
function printedInStructure(content: Loose, asked: PrintedCall): Printed {
  const printed: Printed = { calls: [], links: [], resources: [] }
  const visit = (value: Loose, isRow: boolean): void => {
    if (typeof value !== 'object' || value === null) return
    if (typeof value.tool === 'string' && typeof value.args === 'object')
      printed.calls.push({ tool: value.tool, args: value.args })
    for (const [name, child] of Object.entries(value) as [string, Loose][]) {
      if (RECORD_DATA.includes(name) || (isRow && name === 'data') || name === 'fields_data') continue
      if (LINKS.includes(name) && typeof child === 'string' && /^https?:/.test(child))
        printed.links.push(child)
      else if (name === 'resource' && typeof child === 'string') printed.resources.push(child)
      else visit(child, isRow || (value.object === 'record' && name === 'data'))
    }
  }
  const { data, ...rest } = content ?? {}
  visit(rest, false)
  for (const row of Array.isArray(data?.data) ? data.data : []) visit({ url: row?.url }, true)
  if (typeof data?.next_cursor === 'string')
    printed.calls.push({ tool: asked.tool, args: { ...asked.args, cursor: data.next_cursor } })
  const { window, record, field, conversation } = rest as Loose
  for (const cursor of [window?.next_cursor, window?.previous_cursor])
    if (typeof cursor === 'string')
      printed.calls.push({
        tool: 'read_record_field',
        args: { ...handleOf(record), field_path: field.path, cursor },
      })
  for (const cursor of [conversation?.next_cursor, conversation?.previous_cursor])
    if (typeof cursor === 'string')
      printed.calls.push({ tool: 'read_conversation', args: { id: conversation.id, cursor } })
  return printed
}

/** A record as the window names it: its id, and the connection if the id does not contain it. */
function handleOf({ id, connection_id }: Loose): Record<string, unknown> {
  return id.includes('/') ? { id } : { id, connection_id }
}

export function printedIn(seen: Seen, asked: PrintedCall): Printed {
  const ids = (seen.structured?.results ?? []).map(({ id }: Loose) => id)
  const text = printedInText(seen.text, asked, ids)
  const structure = printedInStructure(seen.structured, asked)
  const linked = seen.result.content.filter((part: Loose) => part.type === 'resource_link')
  return {
    calls: [...text.calls, ...structure.calls],
    links: [...text.links, ...structure.links],
    resources: [...structure.resources, ...linked.map(({ uri }: Loose) => uri)],
  }
}
