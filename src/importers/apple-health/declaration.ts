import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const APPLE_HEALTH = declareSource('apple-health', 'Apple Health', [
  recordStream({
    name: 'health_records',
    label: 'Your health data',
    detail: 'Measurements such as steps, heart rate and sleep, workouts, and the rings of each day.',
    required: ['kind', 'type'],
    properties: {
      kind: f.oneOf('measurement', 'workout', 'day'),
      type: { type: 'string', x_pdpp_role: 'primary-title' },
      value: { type: ['number', 'null'] },
      value_text: f.TEXT,
      unit: f.TEXT,
      started_at: f.EVENT_TIME,
      started_at_local: f.TEXT,
      ended_at: f.TIME,
      recorded_at: f.TIME,
      device: f.PLACE,
      details: { type: 'object' },
    },
    time: 'started_at',
    views: {
      measurements: {
        label: 'Measurements with their times; no devices or details',
        fields: ['kind', 'type', 'value', 'unit', 'started_at', 'ended_at'],
      },
    },
    search: ['type', 'value_text', 'device'],
    ranges: ['started_at', 'ended_at', 'value'],
    sum: ['value'],
    min: ['started_at', 'value'],
    max: ['started_at', 'value'],
    group_by: ['kind', 'type', 'unit', 'device', 'value_text'],
    count_distinct: ['type', 'device'],
  }),
])
