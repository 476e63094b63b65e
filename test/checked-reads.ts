import type { PlainSource } from './brute-force-grant.ts'
import { askPerson } from './brute-force-people.ts'
import { cut, inOrder, only, passes, type Seen } from './brute-force-query.ts'
import { type Client, FIELD, kindOf, type Refusal, type World } from './checked-client.ts'
import { RECORD_IDS } from './random-world.ts'
import type { Answer } from './test-server.ts'

/** Lists reduce a larger limit to this. */
const MOST_CHARS_IN_LISTS = 16_384

export async function tryList(client: Client): Promise<void> {
  const { stream, sources, due, query } = client.scope()
  const conditions = client.conditions(sources, query, due)
  const able = sources.filter(source =>
    conditions.every(({ field }) => client.fieldsOf(source).includes(field)),
  )
  const person = askPerson(client, able, query, due)
  const asked = client.askFields(sources, query, due)
  const chars = client.maxChars(query)
  const most = chars === null ? Number.POSITIVE_INFINITY : Math.min(chars, MOST_CHARS_IN_LISTS)
  const order = client.random.pick(['asc', 'desc'] as const)
  if (order === 'asc' || client.random.chance(0.5)) query.set('order', order)
  const limit = client.random.integer(1, 7)
  query.set('limit', String(limit))
  const counted = client.random.chance(0.5)
  if (counted) query.set('count', 'exact')
  const path = `/v1/streams/${stream}/records?${query}`
  const passing = client
    .seenIn(person.sources)
    .filter(row => passes(conditions, row.data) && person.names(row))
  const expected = inOrder(client.grants, passing, kindOf, order).map(row => presented(row, asked, most))
  for (let start = 0, cursor = ''; ; start += limit) {
    const page = `${path}${cursor && `&cursor=${cursor}`}`
    const answer = await client.ask(page)
    if (client.refused(answer, due, page)) return
    const { data, has_more, next_cursor, meta } = answer.body
    for (const row of data) if (row.truncated_fields) row.truncated_fields = byPath(row.truncated_fields)
    client.equal(data, expected.slice(start, start + limit), page)
    const more = start + limit < expected.length
    const counts = counted ? { count: expected.length } : {}
    const left = meta.warnings.map((warning: { detail: { streams: number } }) => warning.detail.streams)
    client.equal(
      [has_more, next_cursor !== undefined, { ...meta, warnings: left }],
      [more, more, { warnings: person.leftOut > 0 ? [person.leftOut] : [], ...counts }],
      page,
    )
    if (!more) return
    cursor = next_cursor
  }
}

export async function tryRecord(client: Client): Promise<void> {
  const { stream, sources, due, query } = client.scope()
  const id = client.random.pick(RECORD_IDS)
  const asked = client.askFields(sources, query, due)
  const most = client.maxChars(query)
  const path = `/v1/streams/${stream}/records/${encodeURIComponent(id)}?${query}`
  const { row, due: missing, choices } = one(client, sources, id)
  const answer = await client.ask(path)
  if (client.refused(answer, due.length > 0 ? due : missing, path))
    return checkChoices(client, answer, choices, path)
  if (answer.body.truncated_fields) answer.body.truncated_fields = byPath(answer.body.truncated_fields)
  client.equal(answer.body, presented(row as Seen, asked, most ?? Number.POSITIVE_INFINITY), path)
  const etag = answer.headers.get('ETag') ?? ''
  const again = await client.world.server.request(path, {
    token: client.token,
    headers: { 'If-None-Match': etag },
  })
  client.equal(again.status, 304, path)
}

export async function tryWindow(client: Client): Promise<void> {
  const { stream, sources, due, query } = client.scope()
  const random = client.random
  const id =
    random.pick(
      client
        .seenIn(sources)
        .map(row => row.id)
        .concat(random.chance(0.2) ? RECORD_IDS : []),
    ) ?? 'r1'
  const [field, pointer] = random.pick([
    ['body'],
    ['body'],
    ['title'],
    ['kind'],
    ['n'],
    ['parts'],
    ['parts', '/parts/1/a~1b'],
    ['parts', '/parts/text'],
    ['none'],
  ])
  query.set('field', pointer ?? field ?? '')
  const { row, due: missing, choices } = one(client, sources, id)
  if (due.length === 0) {
    if (!client.opensField(sources, field ?? '')) due.push(FIELD)
    else if (missing.length > 0) due.push(...missing)
    else if (row && !row.names.includes(field ?? '')) due.push(FIELD)
  }
  const value = row && at(row.data, pointer ?? `/${field}`)
  const isNested = typeof value === 'object' && value !== null
  if (due.length === 0 && typeof value !== 'string' && !isNested)
    due.push(value === undefined ? [404, 'field_not_found'] : [422, 'field_not_text'])
  const text = Array.from(typeof value === 'string' ? value : isNested ? JSON.stringify(value) : '')
  let [start, end, limit] = [0, 0, 0]
  if (random.chance(0.4)) {
    const q = random.pick(['needle', 'NEEDLE', '漢字', 'lorem\u{1F600}', 'nowhere', 'ЗАЯЦ'])
    const [before, after] = [random.integer(0, 20), random.integer(1, 20)]
    for (const [name, given] of Object.entries({ q, before_chars: before, after_chars: after }))
      query.set(name, String(given))
    const found = text.join('').toLowerCase().indexOf(q.toLowerCase())
    if (found < 0 && due.length === 0) due.push([404, 'query_not_found'])
    const match = Array.from(text.join('').slice(0, found)).length
    ;[start, end, limit] = [
      Math.max(0, match - before),
      Math.min(text.length, match + Array.from(q).length + after),
      before + after,
    ]
  } else {
    const offset = random.integer(0, random.pick([10, 8_200, 30_000]))
    limit = random.integer(1, 200)
    query.set('offset_chars', String(offset))
    query.set('limit_chars', String(limit))
    start = Math.min(offset, text.length)
    end = Math.min(text.length, start + limit)
  }
  const path = `/v1/streams/${stream}/records/${encodeURIComponent(id)}/field-window?${query}`
  const answer = await client.ask(path)
  if (client.refused(answer, due, path)) return checkChoices(client, answer, choices, path)
  const { window, field: described, connection_id } = answer.body
  client.equal(
    [
      connection_id,
      described.size_chars,
      window.text,
      window.start_chars,
      window.end_chars,
      window.limit_chars,
    ],
    [row?.source.connection, text.length, text.slice(start, end).join(''), start, end, limit],
    path,
  )
  client.equal(
    [window.previous_cursor !== null, window.next_cursor !== null],
    [start > 0, end < text.length],
    path,
  )
}

function presented({ source, id, data, changed }: Seen, asked: string[] | null, most: number): object {
  const shown = cut(asked ? only(data, asked) : data, most)
  const { title } = shown.value as Record<string, unknown>
  const { connector_key, declared } = source as World['sources'][number]
  const properties: Record<string, { contentMediaType?: string }> = declared.schema.properties
  const cuts = shown.cuts.map(each => {
    const mime_type = properties[each.field_path]?.contentMediaType
    return mime_type === undefined ? each : { ...each, mime_type }
  })
  const mark = shown.cuts.some(each => each.field_path === 'title') ? '…' : ''
  const timed = 'at' in declared.schema.properties ? 'at' : source.anyTime
  const time =
    timed && !shown.cuts.some(each => each.field_path === timed) ? only(data, asked ?? [timed])[timed] : null
  const url = `http://footnote.test/r/${source.connection}/${source.stream}/${encodeURIComponent(id)}`
  return {
    object: 'record',
    id,
    stream: source.stream,
    connection_id: source.connection,
    connector_key,
    display_name: `Connection ${connector_key}`,
    title: typeof title === 'string' && title !== '' ? title + mark : null,
    author: null,
    occurred_at: typeof time === 'string' ? time : null,
    url,
    data: shown.value,
    emitted_at: changed.emitted_at,
    ...(cuts.length > 0 ? { truncated_fields: byPath(cuts) } : {}),
  }
}

/** The only record with this id in the sources, or the expected refusal. */
function one(
  client: Client,
  sources: readonly PlainSource[],
  id: string,
): { row: Seen | undefined; due: Refusal[]; choices: string[] } {
  const rows = client.seenIn(sources).filter(row => row.id === id)
  const due: Refusal[] =
    rows.length === 0 ? [[404, 'not_found']] : rows.length > 1 ? [[409, 'ambiguous_connection']] : []
  return { row: rows[0], due, choices: rows.map(({ source }) => source.connection).sort() }
}

function checkChoices(client: Client, answer: Answer, choices: string[], path: string): void {
  if (answer.status !== 409) return
  const offered = answer.body.error.available_connections as { connection_id: string }[]
  client.equal(offered.map(({ connection_id }) => connection_id).sort(), choices, path)
}

function byPath(cuts: object[]): object[] {
  return (cuts as { field_path: string }[]).toSorted((a, b) => (a.field_path < b.field_path ? -1 : 1))
}

export function at(data: unknown, pointer: string): unknown {
  let value = data
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined
  }
  return value
}
