import { MOST_EXAMINED, readActivity } from '../../api/owner/activity.ts'
import type { Visit } from '../visit.ts'
import type { GrantWithTerms } from './app-access.ts'

export const USE_DAYS = 30
const DAY_MS = 86_400_000

/** How much of its access an app has used recently. */
export interface AppUse {
  /** How many kinds of records its grants cover, counted separately for each source. */
  open: number
  used: number
  /** What is left of each grant if it is reduced to what was used; a grant without streams is not needed at all. */
  left: { grant: GrantWithTerms; streams: string[] }[]
  requests: number
  /** False if there were more requests than were examined, and not everything was used in these. */
  complete: boolean
}

export async function useOf(
  visit: Visit,
  client_id: string,
  grants: readonly GrantWithTerms[],
): Promise<AppUse> {
  const since = new Date(visit.now.getTime() - USE_DAYS * DAY_MS).toISOString()
  const until = new Date(visit.now.getTime() + DAY_MS).toISOString()
  const query = { client_id, since, until, examine: MOST_EXAMINED }
  const [activity] = (await visit.call(readActivity, {}, { query })).data
  const { requests = 0, examined = 0, shown = [] } = activity ?? {}
  const seen = new Set(shown.map(each => keyOf(each.connection_id, each.stream)))
  const left = grants.map(grant => ({
    grant,
    streams: (grant.grant?.streams ?? [])
      .filter(({ name, instance_ids }) => instance_ids.some(id => seen.has(keyOf(id, name))))
      .map(({ name }) => name),
  }))
  // Two grants may cover the same kind.
  const covered = (name: string, { grant }: GrantWithTerms) =>
    (grant?.streams ?? [])
      .filter(each => each.name === name)
      .map(each => keyOf(each.instance_ids.join(' '), name))
  const open = new Set(grants.flatMap(each => each.grant?.streams.flatMap(({ name }) => covered(name, each))))
    .size
  const used = new Set(left.flatMap(({ grant, streams }) => streams.flatMap(name => covered(name, grant))))
    .size
  return { open, used, left, requests: examined, complete: examined === requests || used === open }
}

function keyOf(connection_id: string, stream: string): string {
  return `${connection_id} ${stream}`
}
