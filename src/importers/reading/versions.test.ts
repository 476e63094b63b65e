import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf } from '../../../test/imported.ts'
import { repeatCounter } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { versionsIn, versionsSoFar } from './versions.ts'

const FILE = sourceOf({ 'a.json': '' }).files[0] as SourceFile
const IDS = Array.from({ length: 20_000 }, (_, n) => `${n}@example.org`)

test('of many items, only those that differ from the first of their id get a mark', async () => {
  async function* items() {
    for (const id of IDS) yield { id, content: () => `first of ${id}` }
    for (const id of IDS) yield { id, content: () => `later of ${id}` }
  }
  const versionOf = await versionsIn([FILE], items)
  const soFar = versionsSoFar()
  const marks = new Set<string>()
  for (const id of IDS) {
    const first = () => `first of ${id}`
    const later = () => `later of ${id}`
    assert.deepEqual([...versionOf(id, first), ...soFar(id, first)], [])
    const [mark = assert.fail(id), ...others] = [...versionOf(id, later), ...soFar(id, later)]
    assert.deepEqual(others, [mark])
    marks.add(mark)
  }
  assert.equal(marks.size, IDS.length)
  assert.deepEqual(
    versionOf('unknown', () => 'anything'),
    [],
  )
})

test('items are read once if no id repeats, and their content is not asked for', async () => {
  let readings = 0
  async function* items() {
    readings++
    for (const id of IDS) yield { id, content: () => assert.fail(id) }
  }
  const versionOf = await versionsIn([FILE], items)
  for (const id of IDS)
    assert.deepEqual(
      versionOf(id, () => assert.fail(id)),
      [],
    )
  assert.equal(readings, 1)
})

test('repeated ids are counted, among many', () => {
  const timesBefore = repeatCounter()
  for (const count of [0, 1, 2]) {
    for (const id of IDS) assert.equal(timesBefore(id), count)
  }
})
