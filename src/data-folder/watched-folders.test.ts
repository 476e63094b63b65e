import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { WatchedFolders } from './watched-folders.ts'

test('changes of the list at the same moment are all kept', async context => {
  const directory = mkdtempSync(join(tmpdir(), 'footnote-test-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const folders = new WatchedFolders(directory)
  const folder = (n: number) => ({ path: `/notes ${n}`, name: null, format: null })
  const idOf = (n: number) => folders.idOf(folder(n).path)
  await Promise.all([1, 2, 3, 4].map(n => folders.add(folder(n))))
  const [removed, asked, missing] = await Promise.all([
    folders.remove(idOf(2)),
    folders.ask(idOf(3), new Date(0)),
    folders.remove(idOf(9)),
    folders.add(folder(5)),
  ])
  assert.deepEqual([removed, asked, missing], [true, true, false])
  assert.deepEqual(folders.list(), [
    folder(1),
    { ...folder(3), asked_at: '1970-01-01T00:00:00.000Z' },
    folder(4),
    folder(5),
  ])
})

test('processes that change the list at the same moment do not disturb each other', async context => {
  const directory = mkdtempSync(join(tmpdir(), 'footnote-test-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const folder = (n: number) => ({ path: `/notes ${n}`, name: null, format: null })
  const each = Array.from({ length: 20 }, (_, n) => new WatchedFolders(directory).add(folder(n)))
  await Promise.all(each)
  assert.ok(new WatchedFolders(directory).list().length > 0)
  assert.deepEqual(readdirSync(directory), ['watched-folders.json'])
})
