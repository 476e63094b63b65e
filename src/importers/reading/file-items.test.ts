import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf } from '../../../test/imported.ts'
import { CodedError } from '../../model/errors.ts'
import type { ImportEvent } from '../importer.ts'
import type { SourceFile } from '../source/source.ts'
import { inOrder, readFileItems } from './exported-files.ts'

const { files } = sourceOf({ a: '1', b: '2' })

async function* itemsOf({ path }: SourceFile) {
  for (const item of [1, 2]) yield { events: () => eventsOf(path, item), end: item }
}

function* eventsOf(path: string, item: number): Generator<ImportEvent> {
  if (item === 2 || path === 'b') throw new CodedError('source_unreadable', 'The disk is damaged.')
  yield { kind: 'rejection', place: `${path}${item}`, code: 'seen', message: '' }
}

test('a file that cannot be read says after which item, or that none was read', async () => {
  const events = await Array.fromAsync(readFileItems(files, null, itemsOf))
  const places = events.flatMap(event => (event.kind === 'rejection' ? [event.place] : []))
  assert.deepEqual(places, ['a1', 'a, after item 1', 'b'])
})

test('where earlier items decide, a resumed reading passes over them, also in a damaged file', async () => {
  const seen: string[] = []
  const reader = inOrder(files, async function* ({ path }) {
    seen.push(path)
    yield { events: () => [], end: 1 }
    if (path === 'a') throw new CodedError('source_unreadable', 'The disk is damaged.')
  })
  const events = await Array.fromAsync(readFileItems(files, { file: 1, item: 0 }, reader))
  assert.deepEqual(seen, ['a', 'b'])
  assert.equal(events.filter(({ kind }) => kind === 'rejection').length, 0)
})
