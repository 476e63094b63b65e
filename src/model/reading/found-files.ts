import { isObject, type Json, type JsonObject } from '../json.ts'
import type { CompiledCondition } from './filter.ts'
import type { FieldValue } from './first-values.ts'
import { itemPasses, itemsOf, type RoleCondition } from './role-test.ts'

const MOST_FILES = 3

/**
 * The names of the files in visible data that `type` found or, without it, that `has` found. A name that several fields
 * contain is told once; a file without a name tells its media type.
 */
export function foundFiles(conditions: readonly CompiledCondition[], data: JsonObject): FieldValue[] {
  const ofFiles = conditions.filter((each): each is RoleCondition => 'test' in each && each.test !== 'words')
  const types = ofFiles.filter(({ test }) => test === 'type')
  const found = (types.length > 0 ? types : ofFiles).flatMap(condition =>
    condition.fields.flatMap(field =>
      itemsOf(Object.hasOwn(data, field) ? data[field] : undefined)
        .filter(item => itemPasses(condition, item))
        .flatMap(item => nameOf(item).map(text => ({ field, text }))),
    ),
  )
  return [...Map.groupBy(found, ({ text }) => text).values()]
    .flatMap(([first = []]) => first)
    .slice(0, MOST_FILES)
}

function nameOf(item: Json): string[] {
  const texts = isObject(item) ? [item.name, item.mime_type] : [item]
  return texts
    .filter(text => typeof text === 'string')
    .filter(text => text.trim() !== '')
    .slice(0, 1)
}
