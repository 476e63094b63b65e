import type { ObjectSchema } from './tool.ts'

const LISTED = Symbol('listed')

/**
 * A schema that tools/list shows in a shorter form or leaves out (null), because every model pays for each byte of that
 * list.
 */
export function listedAs<S extends object>(schema: S, short: object | null): S {
  return Object.defineProperty({ ...schema }, LISTED, { value: short })
}

/** The schema of a tool's result for tools/list. It accepts everything that the full one accepts. */
export function listedSchema(whole: ObjectSchema): ObjectSchema {
  const { type, required, additionalProperties } = whole
  return {
    type,
    ...shortened(whole),
    additionalProperties,
    ...(required ? { required } : {}),
  } as ObjectSchema
}

/** Inside, the type is left out where members or items imply it, and any object may have more members. */
function shortened(schema: object): object {
  const {
    properties,
    items,
    required: _,
    type,
    additionalProperties: __,
    ...rest
  } = schema as Partial<ObjectSchema>
  if (isSchema(items)) return { items: listed(items) }
  if (!isSchema(properties)) return schema
  const shown = Object.entries(properties).flatMap(([name, member]) => {
    const short = listed(member)
    return short === null ? [] : [[name, short]]
  })
  return { ...rest, ...(type === 'object' ? {} : { type }), properties: Object.fromEntries(shown) }
}

function listed(schema: object): object | null {
  const { [LISTED]: short = schema } = schema as { [LISTED]?: object | null }
  return short && shortened(short)
}

function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
