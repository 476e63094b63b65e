import { type Check, check, expect, expectEqual, notSeen } from '../check.ts'
import { type Loose, streamPath, UNKNOWN } from '../target.ts'
import { expectError } from './answers.ts'

const METADATA = [
  'name',
  'schema',
  'primary_key',
  'cursor_field',
  'consent_time_field',
  'selection',
  'query',
  'views',
  'relationships',
]
const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

/** Runs over the metadata of every stream. */
const overMetadata = (rows: string, title: string, look: (metadata: Loose, name: string) => void) =>
  check(rows, title, async target => {
    for (const { name, metadata } of await target.streams()) look(metadata ?? {}, name)
  })

function referencesIn(value: Loose): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    /^\$(ref|dynamicRef)$/.test(key) && typeof child === 'string' ? [child] : referencesIn(child),
  )
}

export function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
}

export const STREAMS: readonly Check[] = [
  check('PC-63', 'the stream list has name, record_count and last_updated', async target => {
    const { status, body } = await target.get('/v1/streams')
    expectEqual([status, body?.object], [200, 'list'], 'Status and object of the list')
    for (const stream of body.data) {
      expectEqual(stream.object, 'stream', 'object')
      expect(typeof stream.name === 'string' && stream.name !== '', 'A stream has no name')
      expect(Number.isInteger(stream.record_count), `record_count of ${stream.name} is not a number`)
      const { last_updated } = stream
      expect(last_updated === null || isTime(last_updated), `last_updated of ${stream.name} is not a time`)
    }
  }),
  check('PC-63 PC-75', 'a stream outside the grant is 403 grant_stream_not_allowed', async target => {
    for (const path of [streamPath(UNKNOWN), `${streamPath(UNKNOWN)}/records`]) {
      expectError(await target.get(path), 403, 'grant_stream_not_allowed', path)
    }
  }),
  overMetadata('PC-64', 'stream metadata has every member', (metadata, name) => {
    expectEqual(metadata.object, 'stream_metadata', `object of ${name}`)
    for (const member of METADATA) expect(member in metadata, `${name} has no ${member}`)
    expect(typeof metadata.schema?.properties === 'object', `The schema of ${name} has no properties`)
  }),
  overMetadata('PC-28', 'selection has two booleans, semantics is known', (metadata, name) => {
    const { selection = {}, semantics = 'mutable_state' } = metadata
    expectEqual(Object.keys(selection).sort(), ['fields', 'resources'], `selection of ${name}`)
    expect(
      Object.values(selection).every(flag => typeof flag === 'boolean'),
      `selection of ${name}`,
    )
    expect(['append_only', 'mutable_state'].includes(semantics), `semantics of ${name} is ${semantics}`)
  }),
  overMetadata('PC-30', 'key, cursor, consent time and views name declared fields', (metadata, name) => {
    const { schema, primary_key, cursor_field, consent_time_field, views } = metadata
    expect(primary_key?.length > 0, `${name} has no primary key`)
    const named = [
      ...primary_key,
      cursor_field,
      consent_time_field,
      ...(views ?? []).flatMap((v: Loose) => v.fields),
    ]
    for (const field of named.filter(each => each !== null && each !== undefined)) {
      expect(field in schema.properties, `${name} names the undeclared field ${field}`)
    }
  }),
  overMetadata('PC-31', 'schemas are of JSON Schema 2020-12', ({ schema }, name) => {
    expect(schema.$schema === undefined || schema.$schema === DRAFT, `${name} has $schema ${schema.$schema}`)
  }),
  overMetadata('PC-32', 'schemas have only references that begin with #', ({ schema }, name) => {
    const foreign = referencesIn(schema).filter(each => !each.startsWith('#'))
    expect(foreign.length === 0, `${name} refers to ${foreign[0]}`)
  }),
  check('PC-93', 'freshness has captured_at, last_attempted_at and status', async target => {
    const { body } = await target.get('/v1/streams')
    const told = body.data.flatMap(({ freshness }: Loose) => (freshness ? [freshness] : []))
    if (told.length === 0) notSeen('The server tells no freshness.')
    for (const freshness of told) {
      for (const member of ['captured_at', 'last_attempted_at']) {
        const time = freshness[member]
        expect(time === null || isTime(time), `freshness.${member} is neither a time nor null`)
      }
      expect(['current', 'stale', 'unknown'].includes(freshness.status), `status is ${freshness.status}`)
    }
  }),
]
