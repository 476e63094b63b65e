import * as api from '../../api/owner/ledger.ts'
import type { Warning } from '../../api/parameter.ts'
import { invalidRequest } from '../../model/errors.ts'
import { parseResultId } from '../../model/ids/handle.ts'
import { instantKey, instantText } from '../../model/time.ts'
import { listEvents } from '../../store/access/audit.ts'
import { serve } from '../request/context.ts'
import { json } from '../request/responses.ts'

const HIDDEN = 'What clients asked is recorded but not shown. Set ledger-queries to on to see it.'
const QUERIES_HIDDEN: Warning = { code: 'queries_hidden', message: HIDDEN, param: 'queries' }

export const readAudit = serve(api.listAudit, async ({ page, parameters, store, owner_id }) => {
  const { grant_id = null } = parameters
  const query = { owner_id, grant_id, after: await page.open<string>(), limit: page.limit + 1 }
  return page.close(
    await listEvents(store.database, query),
    last => last.event_id,
    event => ({ object: 'audit_event', ...event }),
  )
})

export const readDisclosures = serve(api.listDisclosures, async context => {
  const { page, parameters, store, owner_id, env, warnings } = context
  const { client_id = null, since, until, record } = parameters
  const queries = parameters.queries !== undefined && env.settings.showQueries === true
  if (parameters.queries !== undefined && !queries) warnings.push(QUERIES_HIDDEN)
  const times = { since: written(since), until: written(until) }
  const query = {
    owner_id,
    client_id,
    ...times,
    queries,
    record: record === undefined ? null : named(record),
    after: await page.open<string>(),
    limit: page.limit + 1,
  }
  return page.close(
    await store.ledger.list(query),
    last => last.disclosure_id,
    disclosure => ({ object: 'disclosure', ...disclosure }),
  )
})

/** A record named by its complete handle. */
function named(handle: string) {
  const { connection_id, stream, record_id } = parseResultId(handle)
  if (connection_id === null)
    throw invalidRequest('record must be a complete id, including its connection.', 'record')
  return { connection_id, stream, record_id }
}

export const readLedger = serve(api.readLedger, async ({ store, env }) => {
  const last = await store.lastVerified()
  const last_verified = last && { at: last.at, ...last.content }
  return json({ object: 'ledger', shows_queries: env.settings.showQueries === true, last_verified })
})

export const verifyLedger = serve(api.verifyLedger, async ({ store, now }) => {
  const report = await store.verifyLedger(now)
  return json({ object: 'ledger_verification', at: now.toISOString(), ...report })
})

export const pruneLedger = serve(api.pruneLedger, async context => {
  const { before } = await context.body()
  const instant = instantKey(before)
  if (instant === null) throw invalidRequest('before must be a date, or a date-time with a zone.', 'before')
  const { removed } = await context.store.pruneLedger(instantText(instant), context.now)
  return json({ object: 'ledger_pruning', removed })
})

/** An instant in the ledger's format, with milliseconds. */
function written(instant: string | undefined): string | null {
  return instant === undefined ? null : `${instant.slice(0, 23)}Z`
}
