import { instantKey, instantText } from '../../model/time.ts'
import { listDisclosures } from '../../store/access/disclosures.ts'
import type { RequestContext } from '../request/context.ts'
import { invalid } from '../request/parameters.ts'
import { list, type Reply } from '../request/responses.ts'

/** What clients were shown, newest first. */
export async function readDisclosures(context: RequestContext): Promise<Reply> {
  const { parameters, env, now } = context
  const { limit, warnings } = parameters.limit(25, 100)
  const client_id = parameters.text('client_id') ?? null
  const since = time(context, 'since')
  const until = time(context, 'until')
  const binding = JSON.stringify([context.route, context.accessName, client_id, since, until])
  const cursor = parameters.text('cursor')
  const after = cursor === undefined ? null : (env.cursors.openPage(cursor, binding, now) as string)
  const query = { owner_id: context.owner_id, client_id, since, until, after, limit: limit + 1 }
  const rows = await listDisclosures(context.store.ledger.database, query)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last
  return list(
    page.map(disclosure => ({ object: 'disclosure', ...disclosure })),
    more ? { next_cursor: env.cursors.sealPage(last.disclosure_id, binding, now) } : {},
    {},
    warnings,
  )
}

function time({ parameters }: RequestContext, name: string): string | null {
  const text = parameters.text(name)
  if (text === undefined) return null
  const key = instantKey(text)
  if (!key) throw invalid(`${name} is a date or a date-time with zone.`, name)
  return `${instantText(key).slice(0, 19)}${key.slice(19, 23)}Z`
}
