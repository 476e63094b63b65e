import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import { NAMES_VERSION, peopleFields } from '../../model/reading/people.ts'

/*
 * The version of a stream's index, in `search_state`, ends with JSON. Its third part lists the fields whose names are
 * written for all records of the stream.
 */

/** The fields whose names an index of this version has in full. */
export function builtNames(version: string): string[] {
  const [, , [form, ...fields] = []] = partsOf(version)
  return form === NAMES_VERSION ? fields : []
}

/** The version after records were written by a declaration that may name people in fewer fields. */
export function withNamesOf(stream: StreamDeclaration, version: string): string {
  const declared = peopleFields(stream)
  const built = builtNames(version)
  const kept = built.filter(field => declared.includes(field))
  if (kept.length === built.length) return version
  const [searched, places] = partsOf(version)
  const json = JSON.stringify([searched, places, [NAMES_VERSION, ...kept]])
  return version.slice(0, version.indexOf(' ') + 1) + json
}

type Parts = [searched?: unknown, places?: unknown, names?: string[]]

function partsOf(version: string): Parts {
  const start = version.indexOf(' [')
  return start < 0 ? [] : (JSON.parse(version.slice(start)) as Parts)
}
