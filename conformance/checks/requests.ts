import { type Check, check, expect, notSeen } from '../check.ts'
import { type Answer, DATA_ACCESS, type Loose, type Target, UNKNOWN } from '../target.ts'
import { expectError } from './answers.ts'

/** Streams of one source that the server is known to accept, taken from the metadata of a stream. */
async function known(target: Target): Promise<{ source: Loose; streams: Loose[] }> {
  const all = (await target.streams()).map(({ metadata }) => metadata ?? {})
  const source = all.find(metadata => metadata.source?.id)?.source
  if (!source) notSeen('The stream metadata names no source that could be asked for.')
  return { source, streams: all.filter(metadata => metadata.source?.id === source.id) }
}

/** A valid detail for one stream of a known source. */
async function detail(target: Target, fits: (metadata: Loose) => unknown = () => true, otherwise = '') {
  const { source, streams } = await known(target)
  const stream = streams.find(fits) ?? notSeen(otherwise)
  const right: Loose = {
    type: DATA_ACCESS,
    source: { id: source.id },
    purpose_code: 'https://pdpp.dev/purpose/analytics',
    access_mode: 'continuous',
    streams: [{ name: stream.name }],
  }
  return { right, stream, source }
}

async function accepted(target: Target, details: Loose[], what: string): Promise<void> {
  const { status, body } = await target.push(details)
  expect(status === 201, `${what} is refused: ${status} ${body?.error} ${body?.error_description ?? ''}`)
}

function expectRefused(answer: Answer, what: string): void {
  expectError(answer, 400, 'invalid_authorization_details', what)
}

/** First the valid detail, which must be accepted; then the same with one error at a time. */
async function oneWrong(target: Target, right: Loose, wrong: Record<string, Loose>): Promise<void> {
  await accepted(target, [right], 'A right detail')
  for (const [what, change] of Object.entries(wrong)) {
    expectRefused(await target.push([{ ...right, ...change }]), what)
  }
}

export const REQUESTS: readonly Check[] = [
  check('PC-1', 'a detail is accepted, with an unknown member it is refused', async target => {
    const { right } = await detail(target)
    await oneWrong(target, right, {
      'An unknown member': { [UNKNOWN]: 1 },
      'An unknown member of a stream': { streams: [{ ...right.streams[0], [UNKNOWN]: 1 }] },
      connector_id: { connector_id: 'x' },
      'Another type': { type: 'https://example.org/other' },
    })
  }),
  check('PC-2', 'only an accepted source can be asked for, of its own kind', async target => {
    const { right, source } = await detail(target)
    if (source.kind !== undefined) await accepted(target, [{ ...right, source }], 'The right kind')
    const other = source.kind === 'connector' ? 'provider_native' : 'connector'
    await oneWrong(target, right, {
      'An unknown source': { source: { id: `https://${UNKNOWN}.example/` } },
      'An unknown kind': { source: { id: source.id, kind: UNKNOWN } },
      'The wrong kind': { source: { id: source.id, kind: other } },
    })
  }),
  check('PC-3 PC-18', 'purpose and access mode are required, any purpose URI is accepted', async target => {
    const { right } = await detail(target)
    await accepted(target, [{ ...right, purpose_code: `https://${UNKNOWN}.example/why` }], 'A new purpose')
    await oneWrong(target, right, {
      'A detail without purpose_code': { purpose_code: undefined },
      'A purpose_code that is not a URI': { purpose_code: 'hello' },
      'A detail without access_mode': { access_mode: undefined },
      'An unknown access_mode': { access_mode: 'forever' },
    })
  }),
  check('PC-4', 'either streams or a preset', async target => {
    const { right } = await detail(target)
    await oneWrong(target, right, {
      'Neither streams nor a preset': { streams: undefined },
      'An unknown preset': { streams: undefined, selection_preset: UNKNOWN },
      'Streams and a preset': { selection_preset: UNKNOWN },
      'No stream': { streams: [] },
    })
  }),
  check('PC-5 PC-6', 'streams are declared, named once, and * excludes others', async target => {
    const { right } = await detail(target)
    const [stream] = right.streams
    await accepted(target, [{ ...right, streams: [{ name: '*' }] }], 'The stream *')
    await oneWrong(target, right, {
      'A stream twice': { streams: [stream, stream] },
      '* beside another stream': { streams: [stream, { name: '*' }] },
      'An unknown stream': { streams: [{ name: UNKNOWN }] },
    })
  }),
  check('PC-7 PC-8', 'a view excludes fields, and must be declared', async target => {
    const { right, stream } = await detail(target, m => m.views?.length > 0, 'No stream has a view.')
    const [{ id: view, fields }] = stream.views
    const { name } = stream
    await accepted(target, [{ ...right, streams: [{ name, view }] }], 'A declared view')
    await oneWrong(target, right, {
      'A view with fields': { streams: [{ name, view, fields }] },
      'An unknown view': { streams: [{ name, view: UNKNOWN }] },
    })
  }),
  check('PC-9', 'fields must be declared', async target => {
    const { right, stream } = await detail(
      target,
      m => m.selection?.fields,
      'No stream lets fields be selected.',
    )
    const { name, schema } = stream
    const [field] = Object.keys(schema.properties)
    await accepted(target, [{ ...right, streams: [{ name, fields: [field] }] }], 'A declared field')
    await oneWrong(target, right, {
      'An unknown field': { streams: [{ name, fields: [field, UNKNOWN] }] },
      'A field twice': { streams: [{ name, fields: [field, field] }] },
    })
  }),
  check('PC-9 PC-43', 'fields are refused where they cannot be selected', async target => {
    const closed = (metadata: Loose) => metadata.selection?.fields === false
    const { right, stream } = await detail(target, closed, 'Every stream lets fields be selected.')
    const { name, schema } = stream
    await oneWrong(target, right, {
      'fields on such a stream': { streams: [{ name, fields: Object.keys(schema.properties).slice(0, 1) }] },
    })
  }),
  check('PC-11', 'resources are refused where they cannot be selected', async target => {
    const closed = (metadata: Loose) => metadata.selection?.resources === false
    const { right, stream } = await detail(target, closed, 'Every stream lets records be selected.')
    await oneWrong(target, right, {
      'resources on such a stream': { streams: [{ name: stream.name, resources: ['x'] }] },
    })
  }),
  check('PC-11', 'a compound key has as many parts as declared', async target => {
    const compound = (m: Loose) => m.selection?.resources && m.primary_key?.length > 1
    const { right, stream } = await detail(target, compound, 'No selectable stream has a compound key.')
    const { name, primary_key } = stream
    const key = (parts: number) => [JSON.stringify(Array.from({ length: parts }, () => 'x'))]
    const right2 = { ...right, streams: [{ name, resources: key(primary_key.length) }] }
    await oneWrong(target, right2, {
      'A key with a part too many': { streams: [{ name, resources: key(primary_key.length + 1) }] },
      'A key that is plain text': { streams: [{ name, resources: ['x'] }] },
    })
  }),
  check('PC-12', 'a time range needs a consent time', async target => {
    const without = (metadata: Loose) => !metadata.consent_time_field
    const { right, stream } = await detail(target, without, 'Every stream has a consent time.')
    const time_range = { since: '2026-01-01T00:00:00Z' }
    await oneWrong(target, right, {
      'time_range on such a stream': { streams: [{ name: stream.name, time_range }] },
    })
  }),
  check('PC-12', 'a time range is accepted where there is a consent time', async target => {
    const has = (metadata: Loose) => metadata.consent_time_field
    const { right, stream } = await detail(target, has, 'No stream has a consent time.')
    const time_range = { since: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' }
    await oneWrong(
      target,
      { ...right, streams: [{ name: stream.name, time_range }] },
      {
        'A time range that is not a time': { streams: [{ name: stream.name, time_range: { since: 'x' } }] },
      },
    )
  }),
  check('PC-14', 'necessity must be required or optional', async target => {
    const { right } = await detail(target)
    const streams = (necessity: string) => [{ ...right.streams[0], necessity }]
    await oneWrong(
      target,
      { ...right, streams: streams('optional') },
      {
        'An unknown necessity': { streams: streams(UNKNOWN) },
      },
    )
  }),
  check('PC-15', 'retention is accepted in its exact form', async target => {
    const { right } = await detail(target)
    const retention = { max_duration: 'P30D', on_expiry: 'delete' }
    await oneWrong(
      target,
      { ...right, retention },
      {
        'A duration in words': { retention: { ...retention, max_duration: '30 days' } },
        'An unknown on_expiry': { retention: { ...retention, on_expiry: 'keep' } },
        'Half a retention': { retention: { max_duration: 'P30D' } },
      },
    )
  }),
  check('PC-16', 'every detail is checked', async target => {
    const { right } = await detail(target)
    const wrong = { ...right, source: { id: `https://${UNKNOWN}.example/` } }
    expectRefused(await target.push([right, wrong]), 'A right and a wrong detail')
  }),
  check('PC-20', 'claims are accepted in their exact form', async target => {
    const { right } = await detail(target)
    await oneWrong(
      target,
      { ...right, client_claims: { commitments: ['We sell nothing.'] } },
      {
        'Claims with an unknown member': { client_claims: { commitments: ['x'], [UNKNOWN]: 1 } },
        'A claim twice': { client_claims: { commitments: ['x', 'x'] } },
      },
    )
  }),
  check('PC-25', 'an unsupported PDPP-Version is 400', async target => {
    const { right } = await detail(target)
    await accepted(target, [right], 'A right detail')
    const { status } = await target.push([right], { 'PDPP-Version': '1999-01-01' })
    expect(status === 400, `A pushed request with PDPP-Version 1999-01-01 is ${status}, not 400`)
  }),
]
