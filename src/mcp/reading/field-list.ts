import { joinNames } from '../../api/parameter.ts'

/** The names of fields as one parameter; another server takes no name that has a comma. */
export function fieldList(names: readonly string[], capabilities: ReadonlySet<string>): string {
  return capabilities.has('fields_escaped') ? joinNames(names) : names.join(',')
}
