import type { Declaration } from '../../model/declaration/declaration.ts'
import { ANY_RANGE, FLAG, TEXT, TEXTS, TIME } from '../field-types.ts'
import { declareSource } from '../own-source.ts'

export const CALENDAR: Declaration = declareSource('calendar', 'Calendar', [
  {
    name: 'calendar_events',
    semantics: 'mutable_state',
    display: {
      label: 'Your calendar',
      detail: 'Events, tasks and journal entries with times, places, people and notes.',
    },
    schema: {
      type: 'object',
      required: ['id', 'kind'],
      properties: {
        id: { type: 'string' },
        title: { ...TEXT, x_pdpp_role: 'primary-title' },
        text: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' },
        kind: { enum: ['event', 'task', 'journal'], type: 'string' },
        calendar: { ...TEXT, x_pdpp_role: 'place' },
        starts_at: { ...TIME, x_pdpp_role: 'event-time' },
        starts_at_local: TEXT,
        ends_at: TIME,
        ends_at_local: TEXT,
        time_zone: TEXT,
        is_all_day: FLAG,
        due_at: TIME,
        completed_at: TIME,
        location: TEXT,
        organizer: { ...TEXT, x_pdpp_role: 'actor' },
        attendees: { ...TEXTS, x_pdpp_role: ['recipient', 'participant'] },
        status: TEXT,
        categories: { ...TEXTS, x_pdpp_role: 'label' },
        links: TEXTS,
        is_recurring: FLAG,
        recurrence: TEXT,
        more_dates: TEXTS,
        excluded_dates: TEXTS,
        replaces_at: TIME,
        created_at: TIME,
        updated_at: TIME,
        source_id: TEXT,
      },
      x_pdpp_conversation: { key: 'calendar', order: ['starts_at'] },
    },
    primary_key: ['id'],
    cursor_field: 'starts_at',
    consent_time_field: 'starts_at',
    selection: { fields: true, resources: true },
    views: [
      {
        id: 'busy',
        label: 'When you were busy; no titles, people or notes',
        fields: ['id', 'kind', 'starts_at', 'ends_at', 'is_all_day', 'is_recurring', 'recurrence'],
      },
      {
        id: 'titles',
        label: 'Titles and times; no notes',
        fields: ['id', 'kind', 'title', 'calendar', 'starts_at', 'ends_at', 'is_all_day'],
      },
    ],
    query: {
      search: { lexical_fields: ['title', 'text', 'location', 'organizer', 'attendees', 'categories'] },
      range_filters: { starts_at: ANY_RANGE, ends_at: ANY_RANGE, due_at: ANY_RANGE, updated_at: ANY_RANGE },
      aggregations: {
        count: true,
        min: ['starts_at'],
        max: ['starts_at', 'ends_at'],
        group_by: ['kind', 'calendar', 'status', 'organizer', 'location', 'is_all_day', 'is_recurring'],
        group_by_time: ['starts_at'],
        count_distinct: ['calendar', 'organizer'],
      },
    },
  },
])
