import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Schema } from '../src/api/schema.ts'
import { ROUTES } from '../src/resource-server/routes.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false })
const PATTERNS = ROUTES.map(route => ({
  route,
  pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`),
}))

/** Fails when a successful JSON answer has another shape than its contract says. */
export function assertContract(method: string, address: string, body: unknown): void {
  const path = address.split('?')[0] ?? ''
  const { reply } =
    PATTERNS.find(each => each.route.method === method && each.pattern.test(path))?.route ?? {}
  if (typeof reply !== 'object') return
  const fits = ajv.validate(reply as Schema<unknown>, body)
  assert.ok(fits, `${method} ${path}: ${JSON.stringify(ajv.errors?.[0])}`)
}
