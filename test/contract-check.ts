import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { ROUTES } from '../src/resource-server/routes.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false })
const PATTERNS = ROUTES.map(route => ({
  route,
  pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`),
}))
const CHECKS = new Map<object, ValidateFunction>()

/** The same schema, but without additional properties. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(
    Object.entries(schema).map(([keyword, part]) => [
      keyword,
      keyword === 'properties'
        ? Object.fromEntries(Object.entries(part).map(([name, member]) => [name, closed(member)]))
        : keyword === 'const' || keyword === 'enum' || keyword === 'required'
          ? part
          : closed(part),
    ]),
  )
  return 'properties' in schema ? { additionalProperties: false, ...parts } : parts
}

/** Fails if a successful JSON answer does not match its contract, or contains undeclared members. */
export function assertContract(method: string, address: string, body: unknown): void {
  const path = address.split('?')[0] ?? ''
  const { reply } =
    PATTERNS.find(each => each.route.method === method && each.pattern.test(path))?.route ?? {}
  if (typeof reply !== 'object') return
  const check = CHECKS.get(reply) ?? ajv.compile(closed(reply) as object)
  CHECKS.set(reply, check)
  assert.ok(check(body), `${method} ${path}: ${JSON.stringify(check.errors?.[0])}`)
}
