import type { SearchScope } from '../search-scope.ts'
import { inAnyField } from './clue-expressions.ts'
import { type Asked, laterRows, newestOfGroup } from './postings.ts'

/** Usually one of so many newest rows may be seen. */
const FEW_NEWEST = 32

/** Whether a visible row holds the word in an open field. */
export async function isHeld(scope: SearchScope, key: string): Promise<boolean> {
  const asked = oneOf([key])
  for (const group of scope.groups) {
    const newest = await scope.database.words.match(
      { all: asked(group.codes) },
      { below: scope.below },
      FEW_NEWEST,
    )
    if ((await scope.shownPlaces(group, newest)).length > 0) return true
    if (newest.length === FEW_NEWEST && (await newestOfGroup(scope, group, asked, 1)).length > 0) return true
  }
  for (const group of scope.groups) if ((await laterRows(scope, asked, 1, [group])).length > 0) return true
  return false
}

/** Some of the visible rows that hold one of the words, first rows and later ones. */
export async function rowsHoldingOne(
  scope: SearchScope,
  keys: readonly string[],
  most: number,
): Promise<number[]> {
  const asked = oneOf(keys)
  const first = await Promise.all(scope.groups.map(group => newestOfGroup(scope, group, asked, most)))
  const later = await Promise.all(scope.groups.map(group => laterRows(scope, asked, most, [group])))
  return [...new Set([...first.flat(), ...later.flat().map(({ row_id }) => row_id)])]
}

function oneOf(keys: readonly string[]): Asked {
  const words = keys.map(key => ({ word: key }))
  return codes => [inAnyField(words, codes)]
}
