import { listRecords } from '../../api/records.ts'
import { addressOf } from '../../api/route.ts'
import {
  type Choice,
  type ChosenStream,
  chosenStreams,
  EVERYTHING,
  type Offer,
  termsOf,
} from '../../model/access/consent.ts'
import type { Access } from '../../model/access/enforce.ts'
import { GRANT_VERSION, type Grant, type GrantTerms } from '../../model/access/grant.ts'
import type { JsonObject } from '../../model/json.ts'
import { inWaves } from '../../pages/in-waves.ts'
import type { AuthorizationEnvironment } from '../environment.ts'

/** A chosen stream and what a client would find in it. */
export interface Shared extends ChosenStream, Preview {}

/** What a client would find in each offered stream, by stream key: within the chosen time, and in total. */
export type Previews = ReadonlyMap<string, Preview & { all: number }>

type Bounds = Pick<Choice, 'since' | 'until'>

/** Previews everything that is offered. */
export async function previewOffers(
  env: AuthorizationEnvironment,
  offers: readonly Offer[],
  { since, until }: Bounds,
): Promise<Previews> {
  const everything = async (bounds: Bounds) =>
    new Map((await Array.fromAsync(offers, offer => everythingOf(env, offer, bounds))).flat())
  const all = await everything({ since: null, until: null })
  const within = since === null && until === null ? all : await everything({ since, until })
  return new Map(
    [...all].map(([key, preview]) => {
      const { count = 0, example = null } = within.get(key) ?? {}
      return [key, { count, example, all: preview.count }]
    }),
  )
}

async function everythingOf(env: AuthorizationEnvironment, offer: Offer, bounds: Bounds) {
  const sets = new Map(offer.streams.map(({ key }) => [key, EVERYTHING]))
  const shared = await sharedBy(env, offer, { sets, fields: new Map(), ...bounds })
  return shared.map(({ offered, count, example }) => [offered.key, { count, example }] as const)
}

/** What a choice shares from an offer. Sources are asked one after the other, because an owner may have many. */
export async function sharedBy(
  env: AuthorizationEnvironment,
  offer: Offer,
  choice: Choice,
): Promise<Shared[]> {
  const chosen = chosenStreams(offer, choice)
  const groups = [...Map.groupBy(chosen, ({ granted }) => granted.instance_ids.join('+')).values()]
  const shared = await Array.fromAsync(groups, async group => {
    const [terms] = termsOf(offer, group, null)
    const previews = terms ? await previewTerms(env, terms) : []
    return group.map((each, index) => ({ ...each, ...(previews[index] ?? { count: 0, example: null }) }))
  })
  return shared.flat()
}

/**
 * A stream that would be granted, and what a client would find in it: the number of records, and the newest of them.
 */
export interface Preview {
  count: number
  example: JsonObject | null
}

/** More than a page shows, so that the page can tell when to cut. */
const EXAMPLE_CHARS = 300

/** Asks the resource server what a client with exactly these terms would be shown, stream by stream. */
async function previewTerms(env: AuthorizationEnvironment, terms: GrantTerms): Promise<Preview[]> {
  const { owner_id } = env.store
  const grant: Grant = {
    ...terms,
    version: GRANT_VERSION,
    grant_id: 'preview',
    issued_at: env.clock().toISOString(),
    subject: { id: owner_id },
    client: { client_id: 'preview' },
  }
  const access: Access = { kind: 'client', owner_id, client_id: 'preview', grants: [grant] }
  const query = { limit: '1', count: 'exact', max_field_chars: EXAMPLE_CHARS }
  return inWaves(terms.streams, async ({ name }) => {
    const page = (await env.preview(access, addressOf(listRecords, { stream: name }, query))) as {
      data: { data: JsonObject }[]
      meta: { count: number }
    }
    return { count: page.meta.count, example: page.data[0]?.data ?? null }
  })
}
