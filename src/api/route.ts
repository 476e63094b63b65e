import type { Condition } from '../model/reading/filter.ts'
import type { Parameter, Value } from './parameter.ts'
import type { Schema } from './schema.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** `client or owner`: a token of either, within its grant. `session`: a signed-in owner. `provider`: OAuth decides. */
export type RouteAccess = 'public' | 'client or owner' | 'owner' | 'session' | 'provider'

export type ParameterSet = Readonly<Record<string, Parameter<unknown>>>

/** The contract of a route. Everything that serves, calls or documents it is derived from this. */
export interface Route<
  Path extends string = string,
  P extends ParameterSet = ParameterSet,
  Body = unknown,
  Reply = unknown,
> {
  readonly method: Method
  /** In Hono's syntax. */
  readonly path: Path
  readonly access: RouteAccess
  readonly summary: string
  readonly parameters: P
  /** For each parameter, the parameters that cannot be combined with it. */
  readonly excludes?: { readonly [Name in keyof P]?: readonly (keyof P)[] }
  /** The schema of a JSON body, or the media type of another body; absent if the route accepts none. */
  readonly body?: Schema<Body> | string
  /** The schema of a JSON response, or the media type of another one; absent if the response has no body. */
  readonly reply?: Schema<Reply> | string
}

type Details<Path extends string, P extends ParameterSet, Body, Reply> = Omit<
  Route<Path, P, Body, Reply>,
  'method' | 'path' | 'access' | 'parameters'
> & { readonly parameters?: P }

function contract(access: RouteAccess) {
  return <
    const Path extends string,
    P extends ParameterSet = Record<never, never>,
    Body = never,
    Reply = never,
  >(
    method: Method,
    path: Path,
    { parameters, ...details }: Details<Path, P, Body, Reply>,
  ): Route<Path, P, Body, Reply> => ({
    method,
    path,
    access,
    parameters: parameters ?? ({} as P),
    ...details,
  })
}

/** With a client's token, within its grant, or with the owner's. */
export const readRoute = contract('client or owner')
export const ownerRoute = contract('owner')
export const publicRoute = contract('public')

type Names<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** The names in the path of a route, each with its value. */
export type PathOf<R> = R extends Route<infer Path> ? { readonly [Name in Names<Path>]: string } : never
/** The checked query parameters of a route. */
export type ParametersOf<R> =
  R extends Route<string, infer P> ? { readonly [Name in keyof P]: Value<P[Name]> } : never
export type BodyOf<R> = R extends Route<string, ParameterSet, infer Body> ? Body : never
export type ReplyOf<R> = R extends Route<string, ParameterSet, unknown, infer Reply> ? Reply : never
/** What a caller may send in the query of a route. */
export type QueryOf<R> =
  R extends Route<string, infer P>
    ? {
        readonly [Name in keyof P]?:
          | (Value<P[Name]> extends readonly Condition[]
              ? readonly Condition[]
              : string | number | readonly string[])
          | null
          | undefined
      }
    : never
