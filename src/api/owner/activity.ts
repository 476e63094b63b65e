import { list } from '../list.ts'
import * as p from '../parameter.ts'
import { ownerRoute } from '../route.ts'
import * as s from '../schema.ts'

const MOST_PARTS = 31
/** The content of this many requests is read; reading more would take too long. */
const USUALLY_EXAMINED = 500
export const MOST_EXAMINED = 2_000
/** A part of the time counts at most this many requests, because counting more would take too long. */
export const MOST_IN_PART = 2_000

export const readActivity = ownerRoute('GET', '/v1/owner/activity', {
  summary: 'Figures of what each client asked for and was shown in a period',
  parameters: {
    since: p.required(p.time()),
    until: p.required(p.time()),
    client_id: p.text(),
    examine: p.withDefault(p.integer({ min: 1, max: MOST_EXAMINED }), USUALLY_EXAMINED),
    parts: p.withDefault(p.integer({ min: 1, max: MOST_PARTS }), 1),
  },
  reply: list(
    s.object({
      object: s.constant('activity'),
      client_id: s.TEXT,
      ...s.each(s.COUNT, 'requests', 'examined', 'calls', 'refused', 'empty_searches'),
      ...s.each(s.COUNT, 'records', 'passages', 'characters'),
      by_part: s.listOf(s.COUNT),
      shown: s.listOf(s.object({ ...s.each(s.TEXT, 'connection_id', 'stream'), records: s.COUNT })),
    }),
  ),
})

const ALERTS = '/v1/owner/alerts'
const SETTINGS = {
  ...s.each(s.FLAG, 'first_read', 'new_app'),
  records_per_hour: s.orNull({ type: 'integer', minimum: 1, maximum: 1_000_000 } as s.Schema<number>),
  /** Pairs of client and connection that the owner already knows about. */
  known: s.listOf(s.TEXT),
  /** Anything before this time is not reported again. */
  seen_until: s.TIME,
}

export const readAlerts = ownerRoute('GET', ALERTS, {
  summary: 'The alerts that the owner wants',
  reply: s.object({ object: s.constant('alerts'), ...SETTINGS }),
})

export const setAlerts = ownerRoute('POST', ALERTS, {
  summary: 'Sets the alerts that the owner wants',
  body: s.closed(SETTINGS),
  reply: s.object({ object: s.constant('alerts'), ...SETTINGS }),
})
