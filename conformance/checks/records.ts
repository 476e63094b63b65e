import { type Check, check, expect, expectEqual, notSeen } from '../check.ts'
import { type Loose, recordPath, type Stream, streamPath, type Target, UNKNOWN } from '../target.ts'
import { expectError } from './answers.ts'
import { isTime } from './streams.ts'

const MOST_PAGES = 200

export function expectRecord(record: Loose, stream: string): void {
  expectEqual([record.object, record.stream], ['record', stream], 'object and stream of a record')
  expect(typeof record.id === 'string' && record.id !== '', 'A record has no id')
  expect(typeof record.data === 'object' && record.data !== null, `${record.id} has no data`)
  expect(isTime(record.emitted_at), `emitted_at of ${record.id} is not a time`)
}

/** The values of the cursor field, comparable; null where a record has none. */
function valuesOf({ metadata }: Stream, records: Loose[]): (number | string | null)[] {
  const { cursor_field, schema } = metadata
  const isDate = /^date/.test(schema.properties[cursor_field]?.format ?? '')
  return records.map(({ data }) => {
    const value = data[cursor_field] ?? null
    return isDate && value !== null ? Date.parse(value) : value
  })
}

async function ordered(target: Target, stream: Stream, order: 'asc' | 'desc'): Promise<Loose[]> {
  const { body } = await target.get(`${streamPath(stream.name)}/records?limit=100&order=${order}`)
  const values = valuesOf(stream, body.data)
  for (const [index, value] of values.entries()) {
    const before = values[index - 1]
    if (before === undefined || value === null) continue
    expect(before !== null, `${order}: a record without ${stream.metadata.cursor_field} is not last`)
    expect(order === 'asc' ? before <= value : before >= value, `${order}: ${value} comes after ${before}`)
  }
  return body.data
}

/** Every page of a list. */
export async function pagesOf(target: Target, address: string): Promise<Loose[]> {
  const pages: Loose[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    expect(pages.length < MOST_PAGES, `${address} has no end`)
    const { status, body } = await target.get(
      cursor === '' ? address : `${address}&cursor=${encodeURIComponent(cursor)}`,
    )
    expectEqual(status, 200, `The status of ${address}`)
    pages.push(body)
    expectEqual(typeof body.has_more, 'boolean', 'The type of has_more')
    expectEqual(typeof body.next_cursor === 'string', body.has_more, 'Whether there is next_cursor')
    cursor = body.next_cursor ?? null
  }
  return pages
}

const refusals = (rows: string, title: string, code: string, queries: (stream: Stream) => string[]) =>
  check(rows, title, async target => {
    const stream = await target.filled(0)
    for (const query of queries(stream)) {
      const answer = await target.get(`${streamPath(stream.name)}/records?${query}`)
      expectError(answer, 400, code, `?${query}`)
    }
  })

const aField = ({ metadata }: Stream) => Object.keys(metadata.schema.properties)[0] ?? ''

export const RECORDS: readonly Check[] = [
  check('PC-65', 'lists and records have their envelopes', async target => {
    const { name } = await target.filled(1)
    const path = `${streamPath(name)}/records`
    const { status, body } = await target.get(`${path}?limit=2`)
    expectEqual([status, body.object, body.url], [200, 'list', path], 'Status, object and url of the list')
    expectEqual(typeof body.has_more, 'boolean', 'The type of has_more')
    for (const record of body.data) expectRecord(record, name)
  }),
  check('PC-65', 'pages of one record are the list', async target => {
    const { name, records } = await target.filled(2)
    if (records.length > 50) notSeen('The streams of this token are too long to be paged through.')
    const pages = await pagesOf(target, `${streamPath(name)}/records?limit=1`)
    const ids = pages.flatMap(({ data }) => data.map(({ id }: Loose) => id))
    expectEqual(
      ids,
      records.map(({ id }) => id),
      'What the pages show',
    )
  }),
  check('PC-66', 'limit above 100 is 100 with the warning limit_clamped', async target => {
    const { name } = await target.filled(1)
    const { status, body } = await target.get(`${streamPath(name)}/records?limit=101`)
    expectEqual(status, 200, 'The status of limit=101')
    expect(body.data.length <= 100, `${body.data.length} records came`)
    const codes = (body.meta?.warnings ?? []).map(({ code }: Loose) => code)
    expect(codes.includes('limit_clamped'), 'The warning limit_clamped is missing')
    const usual = await target.get(`${streamPath(name)}/records`)
    expect(usual.body.data.length <= 25, `${usual.body.data.length} records came without limit`)
  }),
  check('PC-67', 'lists are ordered by cursor field, missing values last', async target => {
    const streams = (await target.streams()).filter(({ metadata }) => metadata?.cursor_field)
    let seen = false
    for (const stream of streams) {
      const [up, down] = [await ordered(target, stream, 'asc'), await ordered(target, stream, 'desc')]
      const known = valuesOf(stream, up).filter(value => value !== null)
      seen ||= known.length >= 2
      const usual = await target.get(`${streamPath(stream.name)}/records?limit=100`)
      expectEqual(
        usual.body.data.map((r: Loose) => r.id),
        down.map(r => r.id),
        'The order without order=',
      )
    }
    if (!seen) notSeen('No stream with a visible cursor field has two records.')
  }),
  check('PC-68', 'a cursor with another order is invalid_cursor', async target => {
    const { name } = await target.filled(2)
    const path = `${streamPath(name)}/records?limit=1`
    const { next_cursor } = (await target.get(`${path}&order=desc`)).body
    expect(next_cursor, 'A list that continues has no next_cursor')
    const answer = await target.get(`${path}&order=asc&cursor=${encodeURIComponent(next_cursor)}`)
    expectError(answer, 400, 'invalid_cursor', 'A cursor of order=desc with order=asc')
    const foreign = await target.get(`${path}&cursor=${UNKNOWN}`)
    expectError(foreign, 400, 'invalid_cursor', 'A cursor that the server never gave')
  }),
  refusals('PC-70', 'a client’s filter is 400 invalid_request', 'invalid_request', stream => [
    `filter[${aField(stream)}]=x`,
    `filter[${aField(stream)}][gte]=x`,
    `filter[${UNKNOWN}]=x`,
  ]),
  refusals('PC-71', 'a client’s view and expand are 400 invalid_request', 'invalid_request', () => [
    'view=x',
    'expand[]=x',
    'expand_limit[x]=1',
  ]),
  refusals('PC-73', 'a field outside the schema is 400 unknown_field', 'unknown_field', () => [
    `fields=${UNKNOWN}`,
  ]),
  check('PC-72', 'fields keeps the fields that the schema requires', async target => {
    for (const { name, metadata } of await target.streams()) {
      const { required = [] } = metadata.schema
      const more = (record: Loose) => Object.keys(record.data).find(field => !required.includes(field))
      const field = (await target.records(name)).map(more).find(each => each !== undefined)
      if (required.length === 0 || field === undefined) continue
      const query = `fields=${encodeURIComponent(field)}&limit=100`
      for (const { data } of (await target.get(`${streamPath(name)}/records?${query}`)).body.data) {
        const missing = required.filter((each: string) => !(each in data))
        expect(missing.length === 0, `?${query} left out ${missing.join(', ')}`)
        const others = Object.keys(data).filter(each => each !== field && !required.includes(each))
        expect(others.length === 0, `?${query} added ${others.join(', ')}`)
      }
      return
    }
    notSeen('No stream shows a field that is not required beside required ones.')
  }),
  check('PC-81', 'one record is read by its percent-encoded key', async target => {
    const { name, records } = await target.filled(1)
    for (const { id, data } of records.slice(0, 3)) {
      const { status, body } = await target.get(recordPath(name, id))
      expectEqual([status, body?.id], [200, id], `Status and id of ${id}`)
      expectEqual(body.data, data, `data of ${id}`)
    }
    expectError(await target.get(recordPath(name, UNKNOWN)), 404, 'not_found', 'An unknown record')
  }),
  check('PC-81', 'a client cannot delete', async target => {
    const { name, records } = await target.filled(1)
    const { status } = await target.get(recordPath(name, `${records[0].id}-${UNKNOWN}`), { method: 'DELETE' })
    expect(status === 403 || status === 405, `DELETE with a client token is ${status}`)
  }),
]
