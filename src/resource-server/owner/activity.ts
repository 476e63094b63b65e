import * as api from '../../api/owner/activity.ts'
import type { BodyOf } from '../../api/route.ts'
import type { JsonObject } from '../../model/json.ts'
import { readActivity as activityOf } from '../../store/ledger/activity.ts'
import { listItems } from '../../store/records/owner-items.ts'
import { serve } from '../request/context.ts'
import { json } from '../request/responses.ts'

export const readActivity = serve(api.readActivity, async context => {
  const { store, owner_id, parameters } = context
  const { client_id = null, parts, examine } = parameters
  const [since, until] = [parameters.since, parameters.until].map(time => Math.max(0, Date.parse(time)))
  const activity = await activityOf(store.ledger.database, {
    owner_id,
    client_id,
    parts,
    examine,
    since: since ?? 0,
    until: until ?? 0,
  })
  return context.list(activity.map(each => ({ object: 'activity' as const, ...each })))
})

type Settings = BodyOf<typeof api.setAlerts>

const OFF: Settings = {
  first_read: false,
  new_app: false,
  records_per_hour: null,
  known: [],
  seen_until: '1970-01-01T00:00:00.000Z',
}

export const readAlerts = serve(api.readAlerts, async ({ store, owner_id }) => {
  const [item] = await listItems(store.database, { owner_id, kind: 'alert' })
  return json({ object: 'alerts', ...OFF, ...(item?.content as Settings | undefined) })
})

export const setAlerts = serve(api.setAlerts, async context => {
  const settings = await context.body()
  const content = settings as unknown as JsonObject
  await context.write('keepItem', { kind: 'alert', item_id: 'alerts', content })
  return json({ object: 'alerts', ...settings })
})
