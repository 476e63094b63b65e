import type { Loose } from './target.ts'

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }
const WALK = {
  type: 'object',
  required: ['id', 'started_at'],
  properties: {
    id: text,
    started_at: time,
    edited_at: time,
    place: text,
    km: { type: 'number' },
    notes: { type: ['string', 'null'] },
    map: { type: 'object' },
  },
}

/** The declaration of the suite’s own source, with everything that a check needs. */
export const DECLARATION: Loose = {
  protocol_version: '0.1.0',
  source: { kind: 'connector', id: 'https://pdpp-conformance.example/walks' },
  declaration_version: '1',
  publisher: { id: 'https://pdpp-conformance.example/' },
  display: { name: 'PDPP conformance' },
  extensions: { 'https://pdpp-conformance.example/extension': { kept: ['as', { it: 'is' }] } },
  selection_presets: [{ id: 'routes', label: 'Routes', streams: [{ name: 'walks', view: 'route' }] }],
  streams: [
    {
      name: 'legs',
      semantics: 'mutable_state',
      schema: {
        type: 'object',
        required: ['walk_id', 'no'],
        properties: { walk_id: text, no: { type: 'integer' }, pace: { type: 'number' } },
      },
      primary_key: ['walk_id', 'no'],
      selection: { fields: false, resources: true },
    },
    {
      name: 'stamps',
      semantics: 'append_only',
      schema: { type: 'object', required: ['id'], properties: { id: text, word: text } },
      primary_key: ['id'],
      selection: { fields: true, resources: false },
    },
    {
      name: 'walks',
      semantics: 'mutable_state',
      schema: WALK,
      primary_key: ['id'],
      cursor_field: 'edited_at',
      consent_time_field: 'started_at',
      selection: { fields: true, resources: true },
      views: [{ id: 'route', label: 'Dates and distances', fields: ['id', 'started_at', 'km'] }],
      query: {
        range_filters: { started_at: ['gte', 'lt'] },
        search: { lexical_fields: ['notes'] },
        aggregations: { count: true, sum: ['km'], group_by: ['place'], group_by_time: ['started_at'] },
      },
    },
    {
      name: 'written',
      semantics: 'mutable_state',
      schema: WALK,
      primary_key: ['id'],
      cursor_field: 'edited_at',
      consent_time_field: 'started_at',
      selection: { fields: true, resources: true },
    },
  ],
}

export const LONG_TEXT = 'A long way. '.repeat(3_000)

export const LINES: Record<string, (map: Loose) => Loose[]> = {
  legs: () => [1, 2, 3].map(no => ({ data: { walk_id: 'w1', no, pace: no / 2 } })),
  stamps: () => [{ data: { id: 's1', word: 'first' } }],
  walks: map => [
    walk('w1', '2026-01-01T00:00:00Z', { edited_at: '2026-03-01T00:00:00Z', place: 'hill', map }),
    walk('w2', '2026-01-02T00:00:00Z', { edited_at: '2026-02-01T00:00:00Z', place: 'hill' }),
    walk('w3', '2026-01-03T00:00:00Z', { place: 'lake', notes: 'Kingfishers everywhere' }),
    walk('w4', '2026-01-04T00:00:00Z', { edited_at: '2026-02-15T00:00:00Z', notes: LONG_TEXT }),
  ],
  written: () => [],
}

export function walk(id: string, started_at: string, more: Loose = {}): Loose {
  return { data: { id, started_at, km: 7, notes: `Notes of ${id}`, ...more } }
}
