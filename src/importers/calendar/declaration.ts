import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const CALENDAR: Declaration = declareSource('calendar', 'Calendar', [
  recordStream({
    name: 'calendar_events',
    label: 'Your calendar',
    detail: 'Events, tasks and journal entries with times, places, people and notes.',
    required: ['kind'],
    properties: {
      title: f.TITLE,
      text: f.PLAIN_TEXT,
      kind: f.oneOf('event', 'task', 'journal'),
      calendar: f.PLACE,
      starts_at: f.EVENT_TIME,
      starts_at_local: f.TEXT,
      ends_at: { ...f.TIME, x_pdpp_role: 'end-time' },
      ends_at_local: f.TEXT,
      time_zone: f.TEXT,
      is_all_day: f.FLAG,
      due_at: f.TIME,
      completed_at: f.TIME,
      location: f.TEXT,
      organizer: f.ACTOR,
      attendees: { ...f.TEXTS, x_pdpp_role: ['recipient', 'participant'] },
      status: f.TEXT,
      categories: f.LABELS,
      links: f.TEXTS,
      is_recurring: f.FLAG,
      recurrence: f.TEXT,
      more_dates: f.TEXTS,
      excluded_dates: f.TEXTS,
      replaces_at: f.TIME,
      created_at: f.TIME,
      updated_at: f.TIME,
      source_id: f.TEXT,
    },
    conversation: { key: 'calendar', order: ['starts_at'] },
    time: 'starts_at',
    views: {
      busy: {
        label: 'When you were busy; no titles, people or notes',
        fields: ['kind', 'starts_at', 'ends_at', 'is_all_day', 'is_recurring', 'recurrence'],
      },
      titles: {
        label: 'Titles and times; no notes',
        fields: ['kind', 'title', 'calendar', 'starts_at', 'ends_at', 'is_all_day'],
      },
    },
    search: ['title', 'text', 'location', 'organizer', 'attendees', 'categories'],
    ranges: ['starts_at', 'ends_at', 'due_at', 'updated_at'],
    max: ['starts_at', 'ends_at'],
    group_by: ['kind', 'calendar', 'status', 'organizer', 'location', 'is_all_day', 'is_recurring'],
    count_distinct: ['calendar', 'organizer'],
  }),
])
