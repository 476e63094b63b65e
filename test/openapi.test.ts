import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { metrics } from '../src/api/discovery.ts'
import { packageVersion } from '../src/origin/package-version.ts'
import { ROUTES } from '../src/resource-server/routes.ts'
import { openApi } from './openapi-document.ts'

const ALL = [...ROUTES, metrics]
const FILE = join(import.meta.dirname, '../docs/reference/openapi.json')

test('the OpenAPI document is the one that the route table makes (npm run openapi writes it)', () => {
  const made = `${JSON.stringify(openApi(ALL, packageVersion()), null, 2)}\n`
  if (process.env.FOOTNOTE_WRITE_OPENAPI === '1') writeFileSync(FILE, made)
  assert.equal(readFileSync(FILE, 'utf8'), made)
  const { paths } = JSON.parse(made)
  const operations = Object.values(paths).flatMap(path => Object.values(path as object))
  assert.equal(operations.length, ALL.length)
  const ids = operations.map(({ operationId }) => operationId)
  assert.deepEqual(ids, [...new Set(ids)])
})
