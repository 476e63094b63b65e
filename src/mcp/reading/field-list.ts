import { joinNames } from '../../api/parameter.ts'

/** The names of fields as one parameter; other servers do not accept names that contain a comma. */
export function fieldList(names: readonly string[], capabilities: ReadonlySet<string>): string {
  return capabilities.has('fields_escaped') ? joinNames(names) : names.join(',')
}
