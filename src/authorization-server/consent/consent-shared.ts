import {
  type Choice,
  type ChosenStream,
  chosenStreams,
  EVERYTHING,
  type Offer,
  termsOf,
} from '../../model/access/consent.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { type Preview, previewTerms } from './consent-preview.ts'

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
