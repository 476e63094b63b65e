import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { WatchedFolders } from './watched-folders.ts'

test('checks of several folders that end at the same time are all stored', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-watched-'))
  try {
    const watched = new WatchedFolders(directory)
    const paths = ['/letters', '/notes', '/mail']
    for (const path of paths) await watched.add({ path, name: null, format: null })
    const looked_at = new Date().toISOString()
    await Promise.all(paths.map(path => watched.note(path, { looked_at, error: null })))
    for (const path of paths) assert.deepEqual(watched.stateOf(path), { looked_at, error: null }, path)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
