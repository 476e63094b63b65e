import { FEW_POSTINGS, MOST_RECORDS, SPARE_ROWS } from '../../../model/search/tuning.ts'
import { allEnded } from '../../budget/budget.ts'
import type { ClauseGroup } from '../clause-groups.ts'
import type { SearchScope } from '../search-scope.ts'
import { type Asked, splitGroups } from './asked-groups.ts'
import { inAnyField } from './clue-expressions.ts'
import { laterRows, newestOfAll, newestOfGroup } from './postings.ts'

/** Usually at least one of this many newest rows may be seen. */
const FEW_NEWEST = 32

/** Whether a visible row contains the word in an open field. */
export async function isHeld(scope: SearchScope, key: string): Promise<boolean> {
  const asked = oneOf([key])
  const { near, far } = await splitGroups(scope, asked, FEW_NEWEST)
  for (const group of [...near, ...far]) {
    const newest = await scope.database.words.match(
      scope.owner_id,
      { all: asked(group.codes) },
      { below: scope.below },
      FEW_NEWEST,
    )
    if ((await scope.shownPlaces(group, newest)).length > 0) return true
    if (newest.length === FEW_NEWEST && (await newestOfGroup(scope, group, asked, 1)).length > 0) return true
  }
  return (await laterRows(scope, asked, { most: 1 })).length > 0
}

/**
 * The newest visible rows that contain one of the words, at most `most`: first rows of records, or later ones. How many
 * groups show a row may depend on its hidden time.
 */
export async function rowsHoldingOne(
  scope: SearchScope,
  keys: readonly string[],
  most: number,
  { later }: { later: boolean },
): Promise<number[]> {
  const asked = oneOf(keys)
  if (later) return (await laterRows(scope, asked, { most })).map(({ row_id }) => row_id)
  const { near, far } = await splitGroups(scope, asked, most)
  const found = await allEnded([...near, ...far].map(group => newestHolding(scope, group, asked, most)))
  return newestOfAll(scope, found).slice(0, most)
}

/** The newest visible rows. Usually nearly all rows may be seen, so only a narrow scope is made part of the lookup. */
async function newestHolding(
  scope: SearchScope,
  group: ClauseGroup,
  asked: Asked,
  most: number,
): Promise<number[]> {
  // Of a word that is then searched for, as many as that search asks for.
  const few = most < MOST_RECORDS ? FEW_NEWEST : FEW_POSTINGS
  const wanted = Math.max(few, Math.ceil(most * SPARE_ROWS))
  const ids = await scope.match({ all: asked(group.codes) }, { below: scope.below }, wanted)
  const shown = await scope.visibleIds(group, ids)
  const isEnough = shown.length >= most || ids.length < wanted
  return isEnough ? shown.slice(0, most) : newestOfGroup(scope, group, asked, most)
}

function oneOf(keys: readonly string[]): Asked {
  const words = keys.map(key => ({ word: key }))
  return codes => [inAnyField(words, codes)]
}
