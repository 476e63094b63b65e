import { timeKey } from '../declaration/keys.ts'
import {
  accountsOf,
  CHOOSE_FIELDS,
  type Choice,
  EVERYTHING,
  type OfferedStream,
  SHARE_NOTHING,
} from './consent.ts'
import type { Grant, GrantedStream } from './grant.ts'

/**
 * The choice that repeats what an app already had, as far as the form can express it, and never with more fields or
 * streams.
 */
export function choiceLike(offered: readonly OfferedStream[], grants: readonly Grant[]): Choice {
  const had = offered.map(each => ({ each, streams: grantedOf(each, grants) }))
  const sets = had.map(({ each, streams }): [string, string] => [each.key, setLike(each, streams)])
  const fields = had.map(({ each, streams }): [string, string[]] => [
    each.key,
    streams.length > 0 ? openedFields(each, streams) : each.ticked,
  ])
  // Where the bounds of its streams differ, the narrowest are taken: the owner sees them and can widen them.
  const timed = had.filter(({ each }) => each.hasTimes).flatMap(({ streams }) => streams)
  const since = timed.flatMap(({ time_constraint }) => timeKey(time_constraint?.since) ?? [])
  const until = timed.flatMap(({ time_constraint }) => timeKey(time_constraint?.until) ?? [])
  return {
    sets: new Map(sets),
    fields: new Map(fields),
    since: since.sort().at(-1) ?? null,
    until: until.sort()[0] ?? null,
  }
}

/** What grants give access to in a stream, ignoring grants that name single records. */
function grantedOf({ connections, stream }: OfferedStream, grants: readonly Grant[]): GrantedStream[] {
  const isTheirs = ({ name, instance_ids, resources }: GrantedStream) =>
    name === stream.name &&
    resources === undefined &&
    connections.every(({ connection_id }) => instance_ids.includes(connection_id))
  return grants.flatMap(({ streams }) => streams.filter(isTheirs))
}

function openedFields({ fields }: OfferedStream, streams: readonly GrantedStream[]): string[] {
  const names = fields.map(({ name }) => name)
  return names.filter(name => streams.some(granted => granted.fields.includes(name)))
}

function setLike(offered: OfferedStream, streams: readonly GrantedStream[]): string {
  if (streams.length === 0) return SHARE_NOTHING
  const opened = openedFields(offered, streams)
  const isOpened = (names: readonly string[]) =>
    names.length === opened.length && names.every(name => opened.includes(name))
  const same = offered.sets.find(({ fields }) => isOpened(fields))
  if (same) return same.id
  return offered.stream.selection.fields ? CHOOSE_FIELDS : SHARE_NOTHING
}

function isOf({ connections }: OfferedStream, accounts: string): boolean {
  return accountsOf(connections) === accounts
}

/** The choice with this set selected for all these streams. */
export function withAll(offered: readonly OfferedStream[], choice: Choice, set: string): Choice {
  return { ...choice, sets: new Map([...choice.sets, ...offered.map(({ key }) => [key, set] as const)]) }
}

/** The choice with this set selected for all streams of the given accounts. */
export function withAllOf(
  offered: readonly OfferedStream[],
  choice: Choice,
  accounts: string,
  set: string,
): Choice {
  return withAll(
    offered.filter(each => isOf(each, accounts)),
    choice,
    set,
  )
}

/**
 * Applies the choice made for some accounts to all others: everything or nothing if that was chosen for all their
 * streams; otherwise stream by stream, if the other account has a stream of that name with the same set of fields.
 */
export function sameForAll(offered: readonly OfferedStream[], choice: Choice, accounts: string): Choice {
  const setOf = ({ key }: OfferedStream) => choice.sets.get(key) ?? SHARE_NOTHING
  const models = offered.filter(each => isOf(each, accounts))
  const [first, ...more] = new Set(models.map(setOf))
  const forAll = more.length === 0 && (first === EVERYTHING || first === SHARE_NOTHING) ? first : null
  const sets = new Map(choice.sets)
  const fields = new Map(choice.fields)
  for (const other of offered.filter(each => !isOf(each, accounts))) {
    const model = models.find(({ stream }) => stream.name === other.stream.name)
    const set = forAll ?? (model && setOf(model))
    const known = [SHARE_NOTHING, CHOOSE_FIELDS, ...other.sets.map(({ id }) => id)]
    if (set === undefined || !known.includes(set)) continue
    sets.set(other.key, set)
    if (model) fields.set(other.key, choice.fields.get(model.key) ?? [])
  }
  return { ...choice, sets, fields }
}
