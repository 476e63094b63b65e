import { ownerRoute } from '../route.ts'
import * as s from '../schema.ts'

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
