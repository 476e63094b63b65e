import type { Given, Warning } from '../../api/parameter.ts'
import type { ParametersOf, Route } from '../../api/route.ts'
import { type CodedError, invalidRequest } from '../../model/errors.ts'

/** Parses a query of the owner, or of anyone else. */
export type QueryReader = (query: string, isOwner: boolean) => Asked

export interface Asked<R extends Route = Route> {
  parameters: ParametersOf<R>
  warnings: Warning[]
}

/** Parses the queries of a route; parameters that the route does not have are refused. */
export function parameterReader(route: Route): QueryReader {
  const known = new Map(Object.entries(route.parameters))
  const nameOf = (written: string) => {
    const [name = ''] = written.split('[', 1)
    const takes = known.get(name)?.takes
    if (takes === 'fields') return written === name ? '' : name
    return takes === 'many' && written === `${name}[]` ? name : written
  }
  return (query, isOwner) => {
    const given = new Map<string, Given[]>()
    for (const pair of new URLSearchParams(query)) {
      const [written, value] = pair
      const name = nameOf(written)
      const parameter = known.get(name)
      if (value.includes('\0'))
        throw invalidRequest(`${written} contains U+0000, which is not allowed.`, written)
      if (!parameter) throw unknown(written, route, isOwner)
      if (parameter.ownerOnly && !isOwner)
        throw invalidRequest(`${name} is for the owner of the data. Use where[field].`, written)
      const before = given.get(name)
      if (!before) given.set(name, [pair])
      else if (parameter.takes === 'one') throw invalidRequest(`${name} is given more than once.`, name)
      else before.push(pair)
    }
    assertTogether(route, given)
    const warnings: Warning[] = []
    const parameters: Record<string, unknown> = {}
    for (const [name, parameter] of known) parameters[name] = parameter.read(given.get(name), name, warnings)
    return { parameters, warnings }
  }
}

function assertTogether({ excludes = {} }: Route, given: ReadonlyMap<string, unknown>): void {
  for (const [name, others] of Object.entries(excludes)) {
    const other = given.has(name) ? others?.find(each => given.has(each)) : undefined
    if (other !== undefined) throw invalidRequest(`${other} cannot be used together with ${name}.`, other)
  }
}

function unknown(name: string, { parameters }: Route, isOwner: boolean): CodedError {
  const names = Object.entries(parameters)
    .filter(([, { ownerOnly }]) => isOwner || !ownerOnly)
    .map(([each, { takes }]) => (takes === 'fields' ? `${each}[field]` : each))
    .join(', ')
  const hint = names === '' ? 'None are allowed here.' : `Allowed: ${names}.`
  return invalidRequest(`Unknown parameter ${name}. ${hint}`, name)
}
