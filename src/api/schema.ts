import type { Json, JsonObject } from '../model/json.ts'

declare const TYPE: unique symbol

/** A JSON Schema typed with the values it describes, so that each shape is written once. */
export interface Schema<T> {
  readonly [keyword: string]: unknown
  readonly [TYPE]?: () => T
}

/** The type of the values that a schema describes. */
export type Typed<S> = S extends Schema<infer T> ? T : never

type Properties = Readonly<Record<string, Schema<unknown>>>
type Members<P extends Properties> = { [Name in keyof P]: Typed<P[Name]> }
type Flat<T> = { [Name in keyof T]: T[Name] }

export const TEXT: Schema<string> = { type: 'string' }
export const TIME: Schema<string> = { type: 'string', format: 'date-time' }
export const INTEGER: Schema<number> = { type: 'integer' }
export const NUMBER: Schema<number> = { type: 'number' }
export const COUNT: Schema<number> = { type: 'integer', minimum: 0 }
export const FLAG: Schema<boolean> = { type: 'boolean' }
export const ANY: Schema<Json> = {}
export const ANY_OBJECT: Schema<JsonObject> = { type: 'object' }

export function textUpTo(most: number): Schema<string> {
  return { type: 'string', minLength: 1, maxLength: most }
}

/** A name that the owner or a program gives to something. */
export const NAME = textUpTo(200)

export function constant<const T extends string | boolean>(value: T): Schema<T> {
  return { const: value }
}

export function choice<const T extends string>(choices: readonly T[]): Schema<T> {
  return { type: 'string', enum: choices }
}

export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  if (typeof schema.type !== 'string' || schema.enum) return { anyOf: [schema, { type: 'null' }] }
  return { ...(schema as object), type: [schema.type, 'null'] }
}

export function listOf<T>(items: Schema<T>): Schema<T[]> {
  return { type: 'array', items }
}

export function mapOf<T>(values: Schema<T>): Schema<Record<string, T>> {
  return { type: 'object', additionalProperties: values }
}

export function either<A, B>(one: Schema<A>, other: Schema<B>): Schema<A | B> {
  return { anyOf: [one, other] }
}

/** Several members of one shape. */
export function each<T, const Name extends string>(
  schema: Schema<T>,
  ...names: Name[]
): { [N in Name]: Schema<T> } {
  return Object.fromEntries(names.map(name => [name, schema])) as { [N in Name]: Schema<T> }
}

type Shape<P extends Properties, O extends Properties> = Flat<
  Members<P> & { [Name in keyof O]?: Typed<O[Name]> }
>

export function object<P extends Properties, O extends Properties = Record<never, never>>(
  properties: P,
  optional?: O,
): Schema<Shape<P, O>> {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } }
}

/** An object with a name by which documents refer to it. */
export function named<P extends Properties, O extends Properties = Record<never, never>>(
  title: string,
  properties: P,
  optional?: O,
): Schema<Shape<P, O>> {
  return { title, ...(object(properties, optional) as object) }
}

/** An object without additional members: a request that has others is refused. */
export function closed<P extends Properties, O extends Properties = Record<never, never>>(
  properties: P,
  optional?: O,
): Schema<Shape<P, O>> {
  return { ...(object(properties, optional) as object), additionalProperties: false }
}
