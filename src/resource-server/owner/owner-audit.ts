import { listAudit } from '../../api/owner-ledger.ts'
import { listEvents } from '../../store/access/audit.ts'
import { serve } from '../request/serve.ts'

export const readAudit = serve(listAudit, async ({ page, parameters, store, owner_id }) => {
  const { grant_id = null } = parameters
  const query = { owner_id, grant_id, after: page.open<string>(), limit: page.limit + 1 }
  return page.close(
    await listEvents(store.database, query),
    last => last.event_id,
    event => ({ object: 'audit_event', ...event }),
  )
})
