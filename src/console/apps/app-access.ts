import { listGrants } from '../../api/owner/grants.ts'
import type { ReplyOf } from '../../api/route.ts'
import { clientNames } from '../app-names.ts'
import type { Visit } from '../visit.ts'

export type GrantWithTerms = ReplyOf<typeof listGrants>['data'][number]

/** An app that can read something now. */
export interface AppAccess {
  client_id: string
  name: string
  grants: GrantWithTerms[]
}

export async function readApps(visit: Visit): Promise<AppAccess[]> {
  const [{ data }, names] = await Promise.all([visit.call(listGrants, {}), clientNames(visit)])
  const active = data.filter(grant => grant.active)
  return [...Map.groupBy(active, grant => grant.client_id)].map(([client_id, grants]) => ({
    client_id,
    name: names.get(client_id) ?? client_id,
    grants,
  }))
}

/** Every grant of one app: the active ones and those that have ended. */
export async function readAppGrants(
  visit: Visit,
  client_id: string,
): Promise<{ active: GrantWithTerms[]; ended: GrantWithTerms[] }> {
  const { data } = await visit.call(listGrants, {})
  const own = data.filter(grant => grant.client_id === client_id)
  return { active: own.filter(grant => grant.active), ended: own.filter(grant => !grant.active) }
}

/** The connections that a grant gives access to. */
export function connectionsOf({ grant }: Pick<GrantWithTerms, 'grant'>): string[] {
  return [...new Set(grant?.streams.flatMap(stream => stream.instance_ids))]
}
