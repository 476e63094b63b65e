import { CodedError, type ErrorCode } from '../model/errors.ts'
import type { Condition } from '../model/reading/filter.ts'
import type { PathOf, QueryOf, Route } from './route.ts'

/** The path of a route; refuses names that no path can contain. */
export function pathOf<R extends Route>(route: R, path: PathOf<R>): string {
  const names = path as Record<string, string>
  return route.path.replace(/:(\w+)/g, (_, name: string) => segment(names[name] ?? '', name))
}

type Item = string | number | Condition

/**
 * The path and query of a request to a route; null and undefined values are left out. A list is written the PDPP way,
 * with brackets; a single value without, so that servers that accept only one value understand it too.
 */
export function addressOf<R extends Route>(route: R, path: PathOf<R>, query?: QueryOf<R>): string {
  const filled = pathOf(route, path)
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(
    (query ?? {}) as Record<string, Item | Item[] | null | undefined>,
  )) {
    if (value === null || value === undefined) continue
    const written = route.parameters[name]?.bracketed ? `${name}[]` : name
    for (const item of [value].flat()) parameters.append(nameOf(written, item), textOf(item))
  }
  return parameters.size === 0 ? filled : `${filled}?${parameters}`
}

function nameOf(name: string, item: Item): string {
  if (typeof item !== 'object') return name
  return `${name}[${item.field}]${item.operator === 'eq' ? '' : `[${item.operator}]`}`
}

function textOf(item: Item): string {
  return typeof item === 'object' ? item.value : String(item)
}

const MISSING: Record<string, ErrorCode> = { stream: 'grant_stream_not_allowed', blob_id: 'blob_not_found' }

/** No URL can contain a segment of only dots and no server accepts U+0000, so nothing has such a name. */
function segment(text: string, name: string): string {
  if (text !== '.' && text !== '..' && !text.includes('\0')) return encodeURIComponent(text.toWellFormed())
  const shown = JSON.stringify(text.slice(0, 100))
  throw new CodedError(MISSING[name] ?? 'not_found', `There is nothing named ${shown}.`)
}
