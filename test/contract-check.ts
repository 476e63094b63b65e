import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { health, readiness } from '../src/api/discovery.ts'
import type { Route } from '../src/api/route.ts'
import { ROUTES } from '../src/resource-server/routes.ts'
import { ERROR } from './openapi-document.ts'

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

function routeOf(method: string, address: string): Route | undefined {
  const path = address.split('?')[0] ?? ''
  return PATTERNS.find(each => each.route.method === method && each.pattern.test(path))?.route
}

function assertFits(schema: object, body: unknown, what: string): void {
  const check = CHECKS.get(schema) ?? ajv.compile(closed(schema) as object)
  CHECKS.set(schema, check)
  assert.ok(check(body), `${what}: ${JSON.stringify(check.errors?.[0])}`)
}

/** They say what is down, with 503, in the same form as what works. */
const REPORTS: (string | undefined)[] = [health.path, readiness.path]

/** Fails if a JSON answer does not match its contract, or contains undeclared members. */
export function assertContract(method: string, address: string, status: number, body: unknown): void {
  const what = `${method} ${address.split('?')[0]} ${status}`
  const route = routeOf(method, address)
  if (status === 304) assert.ok(route?.conditional, what)
  else if (body !== null && status >= 400 && !(status === 503 && REPORTS.includes(route?.path)))
    assertFits(ERROR, body, what)
  else if (body !== null && typeof route?.reply === 'object') assertFits(route.reply, body, what)
}
