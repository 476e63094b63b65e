import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import { ACTOR, EVENT_TIME, FLAG, PLACE, PLAIN_TEXT, TEXT, TEXTS, TIME, TITLE } from '../field-types.ts'

export const CALENDAR: Declaration = declareSource('calendar', 'Calendar', [
  recordStream({
    name: 'calendar_events',
    display: {
      label: 'Your calendar',
      detail: 'Events, tasks and journal entries with times, places, people and notes.',
    },
    required: ['kind'],
    properties: {
      title: TITLE,
      text: PLAIN_TEXT,
      kind: { enum: ['event', 'task', 'journal'], type: 'string' },
      calendar: PLACE,
      starts_at: EVENT_TIME,
      starts_at_local: TEXT,
      ends_at: { ...TIME, x_pdpp_role: 'end-time' },
      ends_at_local: TEXT,
      time_zone: TEXT,
      is_all_day: FLAG,
      due_at: TIME,
      completed_at: TIME,
      location: TEXT,
      organizer: ACTOR,
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
    conversation: { key: 'calendar', order: ['starts_at'] },
    time: 'starts_at',
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
    search: ['title', 'text', 'location', 'organizer', 'attendees', 'categories'],
    ranges: ['starts_at', 'ends_at', 'due_at', 'updated_at'],
    aggregations: {
      max: ['starts_at', 'ends_at'],
      group_by: ['kind', 'calendar', 'status', 'organizer', 'location', 'is_all_day', 'is_recurring'],
      count_distinct: ['calendar', 'organizer'],
    },
  }),
])
