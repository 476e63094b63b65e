import { declareSource, EVENT_TIME, PLACE, recordStream, TEXT, TIME } from '../declare.ts'

export const APPLE_HEALTH = declareSource('apple-health', 'Apple Health', [
  recordStream({
    name: 'health_records',
    semantics: 'append_only',
    display: {
      label: 'Your health data',
      detail: 'Measurements such as steps, heart rate and sleep, workouts, and the rings of each day.',
    },
    required: ['kind', 'type'],
    properties: {
      kind: { enum: ['measurement', 'workout', 'day'], type: 'string' },
      type: { type: 'string', x_pdpp_role: 'primary-title' },
      value: { type: ['number', 'null'] },
      value_text: TEXT,
      unit: TEXT,
      started_at: EVENT_TIME,
      started_at_local: TEXT,
      ended_at: TIME,
      recorded_at: TIME,
      device: PLACE,
      details: { type: 'object' },
    },
    time: 'started_at',
    views: [
      {
        id: 'measurements',
        label: 'Measurements with their times; no devices or details',
        fields: ['id', 'kind', 'type', 'value', 'unit', 'started_at', 'ended_at'],
      },
    ],
    search: ['type', 'value_text', 'device'],
    ranges: ['started_at', 'ended_at', 'value'],
    aggregations: {
      sum: ['value'],
      min: ['started_at', 'value'],
      max: ['started_at', 'value'],
      group_by: ['kind', 'type', 'unit', 'device', 'value_text'],
      count_distinct: ['type', 'device'],
    },
  }),
])
