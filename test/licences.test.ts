import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { billOfMaterials, shippedPackages } from '../deploy/sbom.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/**
 * The licences allowed for shipped packages. MPL-2.0 covers only its own files, which are distributed unchanged. If a
 * package offers a choice, MIT is chosen.
 */
const ALLOWED = [
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'MPL-2.0',
  '(MIT OR EUPL-1.1+)',
]

test('every shipped package has an allowed licence', () => {
  const shipped = shippedPackages()
  const { dependencies } = JSON.parse(read('package.json'))
  for (const name of Object.keys(dependencies))
    assert.ok(
      shipped.some(each => each.name === name),
      name,
    )
  assert.deepEqual(
    shipped
      .filter(({ license }) => !ALLOWED.includes(license))
      .map(({ name, license }) => `${name}: ${license}`),
    [],
  )
})

test('the security page names exactly the licences of the shipped packages', () => {
  const line = /^Licences of what ships: (.+)\.$/m.exec(read('SECURITY.md'))?.[1] ?? ''
  const used = new Set(shippedPackages().map(({ license }) => license))
  assert.deepEqual(line.split(', ').sort(), [...used].sort())
})

test('the bill of materials lists each shipped package with its hash', () => {
  const { components, bomFormat } = billOfMaterials() as {
    bomFormat: string
    components: { name: string; purl: string; hashes?: { alg: string; content: string }[] }[]
  }
  assert.equal(bomFormat, 'CycloneDX')
  assert.equal(components.length, shippedPackages().length)
  for (const { name, purl, hashes } of components) {
    assert.match(purl, /^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/, name)
    assert.deepEqual([hashes?.[0]?.alg, hashes?.[0]?.content.length], ['SHA-512', 128], name)
  }
})
