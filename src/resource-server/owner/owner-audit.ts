import { listEvents } from '../../store/access/audit.ts'
import type { RequestContext } from '../request/context.ts'
import { list, type Reply } from '../request/responses.ts'

/** What changed about grants and sign-ins, newest first. */
export async function readAudit(context: RequestContext): Promise<Reply> {
  const { parameters, env, now, owner_id } = context
  const { limit, warnings } = parameters.limit(25, 100)
  const grant_id = parameters.text('grant_id') ?? null
  const binding = JSON.stringify([context.route, context.accessName, grant_id])
  const cursor = parameters.text('cursor')
  const after = cursor === undefined ? null : (env.cursors.openPage(cursor, binding, now) as string)
  const rows = await listEvents(context.store.database, { owner_id, grant_id, after, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last
  return list(
    page.map(event => ({ object: 'audit_event', ...event })),
    more ? { next_cursor: env.cursors.sealPage(last.event_id, binding, now) } : {},
    {},
    warnings,
  )
}
