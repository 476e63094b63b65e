import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TRAIL_LOG } from '../../../test/trail-log.ts'
import { CodedError } from '../errors.ts'
import type { Json } from '../json.ts'
import { parseDeclaration } from './parse-declaration.ts'

/** The reasons why a changed copy of the declaration is refused; empty if it is accepted. */
function reasonsFor(change: (declaration: Editable) => void): string[] {
  const declaration = structuredClone(TRAIL_LOG) as unknown as Editable
  change(declaration)
  try {
    parseDeclaration(declaration as Json)
    return []
  } catch (error) {
    assert.ok(error instanceof CodedError && error.code === 'invalid_declaration')
    return error.details.reasons as string[]
  }
}

// biome-ignore lint/suspicious/noExplicitAny: each case breaks a different part of the shape
type Editable = any

test('PC-27 PC-30 PC-34: a complete declaration of Core is accepted unchanged', () => {
  assert.deepEqual(
    reasonsFor(() => {}),
    [],
  )
  assert.deepEqual(parseDeclaration(TRAIL_LOG as Json), TRAIL_LOG)
  assert.deepEqual(
    reasonsFor(declaration => {
      declaration.extensions = { 'https://profiles.example/x': { any: ['thing'] } }
    }),
    [],
  )
})

const REFUSED: readonly [string, (declaration: Editable) => void, RegExp][] = [
  [
    'PC-27: another protocol version',
    d => (d.protocol_version = '9'),
    /^protocol_version: must be "0\.1\.0"/,
  ],
  ['PC-27: no source', d => delete d.source, /^source: missing/],
  ['PC-27: a source id that is not a URI', d => (d.source.id = 'trail-log'), /^source: id/],
  ['PC-27: an unknown kind', d => (d.source.kind = 'app'), /^source: kind/],
  ['PC-27: no declaration version', d => (d.declaration_version = ''), /^declaration_version/],
  ['PC-27: no publisher', d => delete d.publisher, /^publisher: missing/],
  ['PC-27: no name', d => delete d.display.name, /^display: name: missing/],
  ['PC-27: an unknown member', d => (d.connector_key = 'trail-log'), /^connector_key: not a known member/],
  ['PC-28: unknown semantics', d => (d.streams[0].semantics = 'sometimes'), /^streams\.hikes: semantics/],
  ['PC-28: no semantics', d => delete d.streams[0].semantics, /^streams\.hikes: semantics: missing/],
  [
    'PC-28: half a selection',
    d => (d.streams[0].selection = { fields: true }),
    /selection: resources: missing/,
  ],
  [
    'PC-28: a selection of texts',
    d => (d.streams[0].selection.fields = 'yes'),
    /selection: fields: true or false/,
  ],
  ['PC-29: a stream twice', d => d.streams.push(d.streams[0]), /^streams\.hikes: declared twice/],
  ['PC-29: a stream named *', d => (d.streams[1].name = '*'), /^streams\.\*: name/],
  [
    'PC-30: an undeclared cursor field',
    d => (d.streams[0].cursor_field = 'x'),
    /cursor_field: "x" is not a field/,
  ],
  ['PC-30: an undeclared key', d => (d.streams[0].primary_key = ['x']), /primary_key: "x" is not a field/],
  [
    'PC-30: a view of an undeclared field',
    d => d.streams[0].views[0].fields.push('x'),
    /views\.route: fields: "x"/,
  ],
  [
    'PC-31: draft-07',
    d => (d.streams[0].schema.$schema = 'http://json-schema.org/draft-07/schema#'),
    /schema: \$schema/,
  ],
  [
    'PC-31: not valid by the meta-schema',
    d => (d.streams[0].schema.required = 'id'),
    /streams\.hikes: schema: /,
  ],
  [
    'PC-32: a reference to elsewhere',
    d => (d.streams[0].schema.properties.notes = { $ref: 'https://json-schema.org/draft/2020-12/schema' }),
    /not a reference inside the schema/,
  ],
  [
    'PC-33: a preset that names a stream twice',
    d => d.selection_presets[0].streams.push({ name: 'hikes' }),
    /selection_presets\.routes\.streams\.hikes: declared twice/,
  ],
  [
    'a preset of an unknown stream',
    d => (d.selection_presets[0].streams[0].name = 'x'),
    /not a declared stream/,
  ],
  ['a preset of an unknown view', d => (d.selection_presets[0].streams[0].view = 'x'), /has no view "x"/],
  [
    'a preset with more members',
    d => (d.selection_presets[0].streams[0].time_range = {}),
    /not a known member/,
  ],
  ['PC-34: an extension that is not a URI', d => (d.extensions = { mine: {} }), /^extensions: mine/],
  ['PC-38: a label of 201 characters', d => (d.streams[0].display.label = 'x'.repeat(201)), /display: label/],
  ['a relationship to nowhere', d => (d.streams[0].relationships[0].stream = 'x'), /not a declared stream/],
  [
    'an expand without relationship',
    d => (d.streams[0].query.expand[0].name = 'x'),
    /not a declared relationship/,
  ],
  [
    'a default above the maximum',
    d => (d.streams[0].query.expand[0].default_limit = 21),
    /greater than max_limit/,
  ],
  ['search on a number', d => (d.streams[0].query.search.lexical_fields = ['distance_km']), /is not a text/],
  [
    'a range of a text',
    d => (d.streams[0].query.range_filters = { notes: ['gte'] }),
    /notes is not a number/,
  ],
  ['a sum of texts', d => (d.streams[0].query.aggregations.sum = ['notes']), /notes is not a number/],
  [
    'months of a number',
    d => (d.streams[0].query.aggregations.group_by_time = ['distance_km']),
    /is not a date/,
  ],
]

const CONVERSATION = { key: 'id', order: ['started_at'], around: { place: 'id', minutes: 60 } }

const HINTS: readonly [string, (stream: Editable) => void, RegExp][] = [
  ['a role that is a number', s => (s.schema.properties.id.x_pdpp_role = 1), /id\.x_pdpp_role: a text/],
  ['a conversation that is a list', s => (s.schema.x_pdpp_conversation = []), /x_pdpp_conversation: not an/],
  ['one without order', s => delete s.schema.x_pdpp_conversation.order, /order: missing/],
  ['one with an empty order', s => (s.schema.x_pdpp_conversation.order = []), /order: at least one/],
  ['one of unknown fields', s => (s.schema.x_pdpp_conversation.key = 'x'), /key: "x" is not a field/],
  ['one with more members', s => (s.schema.x_pdpp_conversation.by = 'x'), /by: not a known member/],
  [
    'minutes around that are not minutes',
    s => (s.schema.x_pdpp_conversation.around.minutes = 0),
    /around: minutes: a whole number from 1/,
  ],
  [
    'minutes around in an order without time',
    s => (s.schema.x_pdpp_conversation.order = ['id']),
    /around: the first field of order: id is not a date/,
  ],
  [
    'a shown value that is a list',
    s => (s.schema.x_pdpp_conversation.shown_if = { id: [] }),
    /shown_if: id: a single value/,
  ],
  ['own records that are a list', s => (s.schema.x_pdpp_own = ['id']), /x_pdpp_own: not an object/],
  ['own records by an unknown field', s => (s.schema.x_pdpp_own = { x: 1 }), /own: x: "x" is not a field/],
  ['own records by no value', s => (s.schema.x_pdpp_own = { id: [] }), /own: id: a single value or a list/],
  ['own records by null', s => (s.schema.x_pdpp_own = { id: [null] }), /own: id: a single value or a list/],
]

test('AN-1: roles, a conversation and own records are accepted, and all their problems are reported at once', () => {
  const withHints = (change: (stream: Editable) => void) =>
    reasonsFor(({ streams: [stream] }) => {
      stream.schema.properties.notes.x_pdpp_role = ['primary-text', 'label', 'something of theirs']
      stream.schema.x_pdpp_conversation = structuredClone(CONVERSATION)
      stream.schema.x_pdpp_own = { id: ['a', 'b'], distance_km: 1 }
      change(stream)
    })
  assert.deepEqual(
    withHints(() => {}),
    [],
  )
  for (const [title, change, reason] of HINTS) {
    const reasons = withHints(change)
    assert.ok(
      reasons.some(each => reason.test(each)),
      `${title}: ${JSON.stringify(reasons)}`,
    )
  }
  assert.equal(
    withHints(stream => {
      stream.schema.properties.id.x_pdpp_role = 1
      stream.schema.x_pdpp_conversation = { key: 'x', order: ['y'], around: { place: 'id', minutes: 1.5 } }
    }).length,
    5,
  )
})

for (const [title, change, reason] of REFUSED) {
  test(`${title} is refused`, () => {
    const reasons = reasonsFor(change)
    assert.ok(
      reasons.some(each => reason.test(each)),
      JSON.stringify(reasons),
    )
  })
}

test('every reason is reported at once', () => {
  const reasons = reasonsFor(declaration => {
    delete declaration.publisher
    declaration.streams[0].semantics = 'sometimes'
    declaration.streams[1].primary_key = []
  })
  assert.equal(reasons.length, 3, JSON.stringify(reasons))
})
