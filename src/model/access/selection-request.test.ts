import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TRAIL_LOG } from '../../../test/trail-log.ts'
import { parseDeclaration } from '../declaration/parse-declaration.ts'
import { CodedError } from '../errors.ts'
import type { Json } from '../json.ts'
import { parseSelectionRequest, parseSelectionRequests } from './selection-request.ts'

const DECLARATION = parseDeclaration(TRAIL_LOG as Json)
const find = (id: string) => (id === DECLARATION.source.id ? DECLARATION : undefined)

const DETAIL = {
  type: 'https://pdpp.dev/data-access',
  source: { id: 'https://sources.example/trail-log', kind: 'connector' },
  purpose_code: 'https://pdpp.dev/purpose/analytics',
  purpose_description: 'Work out which boots give you blisters',
  access_mode: 'continuous',
  retention: { max_duration: 'P30D', on_expiry: 'delete' },
  streams: [
    { name: 'hikes', fields: ['id', 'distance_km'], time_range: { since: '2026-01-01T00:00:00Z' } },
    { name: 'photos', necessity: 'optional', instance_ids: ['cin_4f2a'], view: 'thumbnails' },
  ],
  client_claims: { commitments: ['Nobody but you sees the result.'] },
}

// biome-ignore lint/suspicious/noExplicitAny: each case changes a different part of the shape
type Editable = any

function parsed(change: (detail: Editable) => void = () => {}) {
  const detail = structuredClone(DETAIL) as Editable
  change(detail)
  return parseSelectionRequest(detail, find)
}

test('PC-1 PC-8 PC-10 PC-15: a detail of Core is parsed; required fields are included; a view becomes its fields', () => {
  assert.deepEqual(parsed(), {
    source: { kind: 'connector', id: 'https://sources.example/trail-log' },
    declaration_version: '2026-11-a',
    purpose_code: 'https://pdpp.dev/purpose/analytics',
    purpose_description: 'Work out which boots give you blisters',
    access_mode: 'continuous',
    retention: { max_duration: 'P30D', on_expiry: 'delete' },
    selection_preset: null,
    streams: [
      {
        name: 'hikes',
        necessity: 'required',
        instance_ids: null,
        fields: ['id', 'started_at', 'distance_km'],
        since: '2026-01-01T00:00:00Z',
        until: null,
        resources: null,
      },
      {
        name: 'photos',
        necessity: 'optional',
        instance_ids: ['cin_4f2a'],
        fields: ['id', 'caption'],
        since: null,
        until: null,
        resources: null,
      },
    ],
    commitments: ['Nobody but you sees the result.'],
  })
})

test('PC-2: a source without kind is identified by its id', () => {
  assert.equal(parsed(detail => delete detail.source.kind).source.kind, 'connector')
})

test('PC-3 PC-18: an unknown purpose code is accepted', () => {
  const code = 'https://other.example/purpose/tea'
  assert.equal(parsed(detail => (detail.purpose_code = code)).purpose_code, code)
})

test('PC-4: a preset is expanded from the declaration', () => {
  const request = parsed(detail => {
    delete detail.streams
    detail.selection_preset = 'routes'
  })
  assert.equal(request.selection_preset, 'routes')
  assert.deepEqual(
    request.streams.map(({ name, fields }) => [name, fields]),
    [['hikes', ['id', 'started_at', 'distance_km']]],
  )
})

test('PC-5: * is expanded to every declared stream, with its handles', () => {
  const request = parsed(detail => (detail.streams = [{ name: '*', instance_ids: ['cin_1'] }]))
  assert.deepEqual(
    request.streams.map(({ name, instance_ids }) => [name, instance_ids]),
    [
      ['hikes', ['cin_1']],
      ['photos', ['cin_1']],
      ['legs', ['cin_1']],
    ],
  )
})

test('a plain date means midnight UTC, and an until in the past is allowed', () => {
  const [hikes] = parsed(
    detail => (detail.streams[0].time_range = { since: '2019-01-01', until: '2020-01-01' }),
  ).streams
  assert.deepEqual([hikes?.since, hikes?.until], ['2019-01-01T00:00:00Z', '2020-01-01T00:00:00Z'])
})

test('PC-11: a compound key is a JSON array with one string per part, kept in its canonical form', () => {
  for (const written of ['["h1","2"]', ' [ "\\u00681",\n"2" ]']) {
    const [legs] = parsed(detail => (detail.streams = [{ name: 'legs', resources: [written] }])).streams
    assert.deepEqual(legs?.resources, ['["h1","2"]'])
  }
})

test('the length of a text is counted in characters', () => {
  const purpose_description = '🥾'.repeat(2_000)
  const asked = parsed(detail => (detail.purpose_description = purpose_description))
  assert.equal(asked.purpose_description, purpose_description)
})

const REFUSED: readonly [string, (detail: Editable) => void, RegExp][] = [
  ['PC-1: another type', d => (d.type = 'payment'), /type must be/],
  ['PC-1: an unknown member', d => (d.connector_id = 'x'), /connector_id is not a member/],
  [
    'PC-1: an unknown member of a stream',
    d => (d.streams[0].connection_id = 'x'),
    /connection_id is not a member/,
  ],
  ['PC-2: an unknown source', d => (d.source.id = 'https://sources.example/other'), /source\.id/],
  ['PC-2: another kind', d => (d.source.kind = 'provider_native'), /source\.kind/],
  ['PC-3: no purpose', d => delete d.purpose_code, /needs purpose_code/],
  [
    'PC-3: a purpose that is not a URI',
    d => (d.purpose_code = 'hello'),
    /purpose_code must be an absolute URI/,
  ],
  ['PC-3: no access mode', d => delete d.access_mode, /needs access_mode/],
  ['PC-3: an unknown access mode', d => (d.access_mode = 'forever'), /access_mode must be/],
  ['PC-4: neither streams nor a preset', d => delete d.streams, /exactly one/],
  ['PC-4: streams and a preset', d => (d.selection_preset = 'routes'), /exactly one/],
  [
    'PC-4: an unknown preset',
    d => Object.assign(d, { selection_preset: 'x', streams: undefined }),
    /no selection preset/,
  ],
  ['PC-5: * beside another stream', d => d.streams.push({ name: '*' }), /only stream/],
  ['PC-5: * with fields', d => (d.streams = [{ name: '*', fields: ['id'] }]), /cannot be asked for with \*/],
  [
    'PC-5: * with a time range that one stream cannot have',
    d => (d.streams = [{ name: '*', time_range: { since: '2026-01-01' } }]),
    /no consent time/,
  ],
  ['PC-5: a stream twice', d => d.streams.push({ name: 'hikes' }), /named twice/],
  ['PC-6: an unknown stream', d => (d.streams[0].name = 'runs'), /no stream runs/],
  ['PC-7: a view and fields', d => (d.streams[0].view = 'route'), /cannot be combined/],
  ['PC-8: an unknown view', d => (d.streams[1].view = 'x'), /no view/],
  ['PC-9: an unknown field', d => d.streams[0].fields.push('heart_rate'), /no field heart_rate/],
  [
    'PC-9 PC-43: fields of a stream that does not allow selecting them',
    d => (d.streams = [{ name: 'legs', fields: ['pace'] }]),
    /cannot be selected/,
  ],
  [
    'PC-11: single records where that is not offered',
    d => (d.streams[1].resources = ['p1']),
    /cannot be selected/,
  ],
  [
    'PC-11: a compound key of the wrong size',
    d => (d.streams = [{ name: 'legs', resources: ['["h1"]'] }]),
    /JSON array of 2/,
  ],
  [
    'PC-11: one compound key, written in two ways',
    d => (d.streams = [{ name: 'legs', resources: ['["h1","2"]', '["h1", "2"]'] }]),
    /twice/,
  ],
  ['a text that is too long', d => (d.purpose_description = 'x'.repeat(2_001)), /1 to 2000 characters/],
  [
    'a key with U+0000',
    d => (d.streams = [{ name: 'hikes', resources: ['h\u00001'] }]),
    /U\+0000 or a lone surrogate/,
  ],
  ['a text with a lone surrogate', d => (d.purpose_description = '\ud83e'), /U\+0000 or a lone surrogate/],
  [
    'PC-12: a time range without consent time',
    d => (d.streams[1].time_range = { since: '2026-01-01' }),
    /no consent time/,
  ],
  ['an empty time range', d => (d.streams[0].time_range = {}), /since, until or both/],
  [
    'since after until',
    d => (d.streams[0].time_range = { since: '2026-02-01', until: '2026-01-01' }),
    /after until/,
  ],
  ['PC-14: an unknown necessity', d => (d.streams[0].necessity = 'nice'), /necessity/],
  ['PC-15: a retention that is not a duration', d => (d.retention.max_duration = '30 days'), /ISO 8601/],
  ['PC-15: half a retention', d => delete d.retention.on_expiry, /needs on_expiry/],
  ['PC-20: unknown claims', d => (d.client_claims.promise = 'x'), /not a member of client_claims/],
  ['a text of 2,001 characters', d => (d.purpose_description = 'x'.repeat(2_001)), /1 to 2000 characters/],
]

for (const [title, change, reason] of REFUSED) {
  test(`${title} is refused`, () => {
    assert.throws(
      () => parsed(change),
      error =>
        error instanceof CodedError &&
        error.code === 'invalid_authorization_details' &&
        reason.test(error.message),
    )
  })
}

test('PC-16: two details of one source are refused, and so are nine', () => {
  assert.throws(() => parseSelectionRequests([DETAIL, DETAIL], find), /same source/)
  assert.throws(() => parseSelectionRequests(Array(9).fill(DETAIL), find), /1 to 8/)
  assert.equal(parseSelectionRequests([DETAIL], find).length, 1)
})
