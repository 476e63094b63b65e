import * as api from '../../api/owner/activity.ts'
import { readActivity as activityOf } from '../../store/ledger/activity.ts'
import { serve } from '../request/serve.ts'

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
