import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROWS } from '../conformance/rows.ts'
import { citations, conformancePage, uncoveredRows } from './pdpp-page.ts'

const FILE = join(import.meta.dirname, '../docs/reference/pdpp-conformance.md')

test('the conformance page is up to date (npm run pdpp-page writes it)', () => {
  const made = conformancePage()
  if (process.env.FOOTNOTE_WRITE_PDPP === '1') writeFileSync(FILE, made)
  assert.equal(readFileSync(FILE, 'utf8'), made)
})

test('every row of PDPP Core is checked by the suite or cited by a test', () => {
  assert.deepEqual(uncoveredRows(), [])
})

test('every row that a test cites exists', () => {
  const known = new Set(ROWS.map(({ id }) => id))
  assert.deepEqual(
    [...citations().keys()].filter(id => !known.has(id)),
    [],
  )
})
