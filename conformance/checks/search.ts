import { type Check, check, expect, expectEqual, notSeen } from '../check.ts'
import { type Loose, streamPath, type Target, UNKNOWN } from '../target.ts'
import { expectError } from './answers.ts'
import { lexical } from './discovery.ts'
import { isTime } from './streams.ts'

const FOREIGN = ['rank', 'boost', 'embedding', 'vector', 'semantic', 'connector_id']
const ACCURACIES = ['exact', 'lower_bound', 'estimated', 'not_counted']
const SCOPES = ['all_matches', 'candidate_window', 'unknown']

interface Found {
  stream: string
  fields: string[]
  word: string
  answer: Loose
}

/** A search that finds something: for a word that a searchable field shows. */
async function search(target: Target): Promise<Found> {
  await lexical(target)
  for (const { name, metadata } of await target.streams()) {
    const fields: string[] = metadata?.query?.search?.lexical_fields ?? []
    for (const { data } of await target.records(name)) {
      const text = fields.map(field => data[field]).find(value => /\p{L}{4}/u.test(String(value ?? '')))
      const word = /\p{L}{4,}/u.exec(String(text ?? ''))?.[0]
      if (word === undefined) continue
      const { status, body } = await target.get(`/v1/search?${new URLSearchParams({ q: word })}`)
      expectEqual([status, body?.object], [200, 'list'], `Status and object of a search for ${word}`)
      expect(body.data.length > 0, `${word} is contained in ${name} and is not found`)
      return { stream: name, fields, word, answer: body }
    }
  }
  return notSeen('No record that the token opens has a searchable word.')
}

export const SEARCH: readonly Check[] = [
  check('PC-99', 'streams[] selects streams', async target => {
    const { stream, word } = await search(target)
    const query = new URLSearchParams({ q: word, 'streams[]': stream })
    const { status, body } = await target.get(`/v1/search?${query}`)
    expectEqual(status, 200, 'The status with streams[]')
    expect(body.data.length > 0, `streams[]=${stream} finds nothing`)
    expect(
      body.data.every((hit: Loose) => hit.stream === stream),
      'streams[] lets other streams through',
    )
  }),
  check('PC-99', 'for the owner an unknown stream finds nothing', async target => {
    await lexical(target)
    const query = new URLSearchParams({ q: 'x', 'streams[]': UNKNOWN })
    const { status, body } = await target.owner(`/v1/search?${query}`)
    expectEqual([status, body?.data], [200, []], 'What an unknown stream answers')
  }),
  check('PC-100', 'a hit has its members', async target => {
    const { answer } = await search(target)
    for (const hit of answer.data) {
      expectEqual(hit.object, 'search_result', 'object of a hit')
      for (const member of ['stream', 'record_key', 'connector_id']) {
        expect(typeof hit[member] === 'string' && hit[member] !== '', `A hit has no ${member}`)
      }
      expect(isTime(hit.emitted_at), 'emitted_at of a hit is not a time')
      expect(hit.matched_fields?.length > 0, `${hit.record_key} has no matched_fields`)
      expect(!('data' in hit), 'A hit has data')
    }
  }),
  check('PC-100', 'the snippet is literal text of a matched field', async target => {
    const { answer } = await search(target)
    const shown = answer.data.filter(({ snippet }: Loose) => snippet)
    if (shown.length === 0) notSeen('No hit has a snippet.')
    for (const { stream, record_key, matched_fields = [], snippet } of shown) {
      expect(
        matched_fields.includes(snippet.field),
        `The snippet is of ${snippet.field}, which did not match`,
      )
      const record = (await target.records(stream)).find(({ id }) => id === record_key)
      const whole = record && JSON.stringify(record.data[snippet.field])
      const bare = JSON.stringify(snippet.text.replace(/^…|…$/g, '')).slice(1, -1)
      expect(!whole || whole.includes(bare), `The snippet of ${record_key} is not in its ${snippet.field}`)
    }
  }),
  check('PC-101', 'meta has count, count_accuracy and recall', async target => {
    const { count, count_accuracy, recall } = (await search(target)).answer.meta ?? {}
    expect(ACCURACIES.includes(count_accuracy), `count_accuracy is ${count_accuracy}`)
    expect(count_accuracy === 'not_counted' ? count === null : Number.isInteger(count), `count is ${count}`)
    expectEqual(typeof recall?.complete, 'boolean', 'The type of recall.complete')
    expectEqual(typeof recall.truncated, 'boolean', 'The type of recall.truncated')
    expect(SCOPES.includes(recall.ranking_scope), `recall.ranking_scope is ${recall.ranking_scope}`)
  }),
  check('PC-102', 'foreign parameters are 400, q is required', async target => {
    await lexical(target)
    for (const name of FOREIGN) {
      expectError(await target.get(`/v1/search?q=x&${name}=1`), 400, 'invalid_request', `?${name}=1`)
    }
    expectError(await target.get('/v1/search'), 400, 'invalid_request', 'A search without q')
  }),
  check('PC-102', 'a stream outside the grant is 403', async target => {
    await lexical(target)
    const query = new URLSearchParams({ q: 'x', 'streams[]': UNKNOWN })
    const answer = await target.get(`/v1/search?${query}`)
    expectError(answer, 403, 'grant_stream_not_allowed', 'A stream outside the grant')
  }),
  check('PC-103', 'matched_fields are declared as searchable', async target => {
    const { answer } = await search(target)
    const streams = await target.streams()
    for (const { stream, matched_fields = [] } of answer.data) {
      const metadata = streams.find(({ name }) => name === stream)?.metadata
      const declared = metadata?.query?.search?.lexical_fields ?? []
      const foreign = matched_fields.filter((field: string) => !declared.includes(field))
      expect(foreign.length === 0, `${foreign[0]} of ${stream} is not declared as searchable`)
    }
  }),
  check('PC-103', 'cursors of search and of records are not interchangeable', async target => {
    await lexical(target)
    const { name } = await target.filled(2)
    const { next_cursor } = (await target.get(`${streamPath(name)}/records?limit=1`)).body
    const answer = await target.get(`/v1/search?${new URLSearchParams({ q: 'x', cursor: next_cursor })}`)
    expectError(answer, 400, 'invalid_cursor', 'A cursor of records in a search')
  }),
]
