import * as api from '../../api/owner-ledger.ts'
import { listEvents } from '../../store/access/audit.ts'
import { listDisclosures } from '../../store/access/disclosures.ts'
import { serve } from '../request/serve.ts'

export const readAudit = serve(api.listAudit, async ({ page, parameters, store, owner_id }) => {
  const { grant_id = null } = parameters
  const query = { owner_id, grant_id, after: await page.open<string>(), limit: page.limit + 1 }
  return page.close(
    await listEvents(store.database, query),
    last => last.event_id,
    event => ({ object: 'audit_event', ...event }),
  )
})

export const readDisclosures = serve(api.listDisclosures, async ({ page, parameters, store, owner_id }) => {
  const { client_id = null, since, until } = parameters
  const times = { since: written(since), until: written(until) }
  const query = { owner_id, client_id, ...times, after: await page.open<string>(), limit: page.limit + 1 }
  return page.close(
    await listDisclosures(store.ledger.database, query),
    last => last.disclosure_id,
    disclosure => ({ object: 'disclosure', ...disclosure }),
  )
})

/** An instant as the ledger writes its times: to the millisecond. */
function written(instant: string | undefined): string | null {
  return instant === undefined ? null : `${instant.slice(0, 23)}Z`
}
