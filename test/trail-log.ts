/** A source of another publisher, a hike tracker, that uses everything a declaration can contain. */
export const TRAIL_LOG = {
  protocol_version: '0.1.0',
  source: { kind: 'connector', id: 'https://sources.example/trail-log' },
  declaration_version: '2026-11-a',
  publisher: { id: 'https://sources.example/' },
  display: { name: 'Trail log' },
  selection_presets: [
    { id: 'routes', label: 'Where you walked', streams: [{ name: 'hikes', view: 'route' }] },
  ],
  streams: [
    {
      name: 'hikes',
      description: 'One row for each hike',
      semantics: 'mutable_state',
      display: { label: 'Your hikes', detail: 'Dates, distances, notes. No heart rate.' },
      schema: {
        type: 'object',
        required: ['id', 'started_at'],
        properties: {
          id: { type: 'string' },
          started_at: { type: 'string', format: 'date-time' },
          edited_at: { type: 'string', format: 'date-time' },
          distance_km: { type: 'number' },
          notes: { type: ['string', 'null'] },
        },
      },
      primary_key: ['id'],
      cursor_field: 'edited_at',
      consent_time_field: 'started_at',
      selection: { fields: true, resources: true },
      views: [{ id: 'route', label: 'Dates and distances', fields: ['id', 'started_at', 'distance_km'] }],
      relationships: [{ name: 'photos', stream: 'photos', foreign_key: 'hike_id', cardinality: 'has_many' }],
      query: {
        range_filters: { started_at: ['gte', 'lt'] },
        expand: [{ name: 'photos', default_limit: 5, max_limit: 20 }],
        search: { lexical_fields: ['notes'] },
        aggregations: { count: true, sum: ['distance_km'], group_by_time: ['started_at'] },
      },
    },
    {
      name: 'photos',
      semantics: 'append_only',
      schema: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          hike_id: { type: 'string' },
          caption: { type: ['string', 'null'] },
          original: { type: 'object' },
        },
      },
      primary_key: ['id'],
      selection: { fields: true, resources: false },
      views: [{ id: 'thumbnails', label: 'Captions only', fields: ['id', 'caption'] }],
    },
    {
      name: 'legs',
      semantics: 'mutable_state',
      schema: {
        type: 'object',
        required: ['hike_id', 'no'],
        properties: { hike_id: { type: 'string' }, no: { type: 'integer' }, pace: { type: 'number' } },
      },
      primary_key: ['hike_id', 'no'],
      selection: { fields: false, resources: true },
    },
  ],
}
