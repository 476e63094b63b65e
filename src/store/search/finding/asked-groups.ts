import { placeKey } from '../../../model/access/enforce.ts'
import { laterBelow } from '../../../model/search/row-numbers.ts'
import type { Clue } from '../../../model/search/search-query.ts'
import { allEnded } from '../../budget/budget.ts'
import type { WordExpression } from '../../engine/word-index.ts'
import type { ClauseGroup } from '../clause-groups.ts'
import type { SearchScope } from '../search-scope.ts'
import { expressionsOf } from './clue-expressions.ts'

/** Up to this many groups are each looked up at once. */
const FEW_GROUPS = 3

/** Groups, by whether rows of theirs are among the newest rows of all groups that may contain what is asked for. */
interface SplitGroups {
  near: readonly ClauseGroup[]
  /** All of their rows that contain it come after this position. */
  far: readonly ClauseGroup[]
  from: number
}

/**
 * Nearly every word is in the records of a few sources, or of none, so one lookup in the fields of all groups saves one
 * for each of the others.
 */
export async function splitGroups(
  scope: SearchScope,
  asked: Asked,
  most: number,
  { later }: { later: boolean } = { later: false },
): Promise<SplitGroups> {
  const { groups } = scope
  if (groups.length <= FEW_GROUPS) return { near: groups, far: [], from: 0 }
  const codes = [...new Set(groups.flatMap(group => group.codes))]
  const below = later ? laterBelow(scope.below) : scope.below
  const ids = await scope.match({ all: asked(codes) }, { below, later }, most)
  const holding = new Set((await scope.places(ids)).map(row => placeKey(row.connection_id, row.stream)))
  const [near, far]: [ClauseGroup[], ClauseGroup[]] = [[], []]
  for (const group of groups) (holding.isDisjointFrom(group.sources) ? far : near).push(group)
  return ids.length < most
    ? { near, far: [], from: 0 }
    : { near, far, from: scope.order.positionOf(ids.at(-1) ?? 0) }
}

/** The sources known to have a record of several rows, visible or not, by database. This only saves work. */
const seenWithLater = new WeakMap<object, Set<string>>()
const ofScopes = new WeakMap<SearchScope, Promise<readonly ClauseGroup[]>>()

/** The groups with records of several rows, if there are several groups; asked for once. */
export function groupsWithLater(scope: SearchScope): Promise<readonly ClauseGroup[]> {
  const known = ofScopes.get(scope)
  if (known) return known
  const found = findWithLater(scope).catch(error => {
    ofScopes.delete(scope)
    throw error
  })
  ofScopes.set(scope, found)
  return found
}

async function findWithLater(scope: SearchScope): Promise<readonly ClauseGroup[]> {
  const { groups, database, owner_id } = scope
  if (groups.length === 1) return groups
  const known = seenWithLater.get(database.identity) ?? new Set()
  seenWithLater.set(database.identity, known)
  const isKnown = ({ sources }: ClauseGroup) => [...sources].some(key => known.has(`${owner_id}/${key}`))
  const range = { below: laterBelow(scope.below), later: true }
  const lookUp = ({ scopeWords }: ClauseGroup) =>
    scope.match({ any: scopeWords.map(word => ({ word })) }, range, 1)
  const found = await allEnded(groups.filter(group => !isKnown(group)).map(lookUp))
  for (const row of await scope.places(found.flat()))
    known.add(`${owner_id}/${scope.sourceOf(row)?.key ?? ''}`)
  return groups.filter(isKnown)
}

/** What a row must contain, in fields with these codes. */
export type Asked = (codes: readonly number[]) => WordExpression[]

export function allOf(clues: readonly Clue[]): Asked {
  return codes => clues.flatMap(clue => expressionsOf(clue, codes))
}

/** What a row must contain to belong to the group and to match. */
export function expressionsWithin({ scopeWords, codes }: ClauseGroup, asked: Asked): WordExpression[] {
  return [{ any: scopeWords.map(word => ({ word })) }, ...asked(codes)]
}

/** Under a filter, groups that are not looked up have a share as well: which ones these are depends on hidden rows, too. */
export function lookUpSome<T>(
  scope: SearchScope,
  groups: readonly ClauseGroup[],
  lookUp: (group: ClauseGroup) => Promise<T[]>,
): Promise<T[][]> {
  const asked = new Set(groups)
  return scope.lookUpEach(scope.groups.map(group => async () => (asked.has(group) ? lookUp(group) : [])))
}
