import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { changedPaths } from '../src/cli/import/watch.ts'
import { zipOf } from './archives.ts'
import { importPlace } from './import-place.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')

test('a watched folder gives what is new or changed, archives apart, until it is told to stop', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'footnote-watch-'))
  const stop = new AbortController()
  try {
    await writeFile(join(folder, 'a.txt'), 'one')
    const paths = changedPaths(folder, stop.signal, { quietMs: 5, lookMs: 10 })
    const next = async () => (await paths.next()).value
    assert.equal(await next(), folder)
    const waiting = next()
    await writeFile(join(folder, 'b.zip'), 'PK')
    assert.equal(await waiting, join(folder, 'b.zip'))
    await mkdir(join(folder, 'deep'))
    await writeFile(join(folder, 'deep/c.txt'), 'three')
    assert.equal(await next(), folder)
    await writeFile(join(folder, 'a.txt'), 'longer')
    assert.equal(await next(), folder)
    const last = paths.next()
    stop.abort()
    assert.equal((await last).done, true)
  } finally {
    stop.abort()
    await rm(folder, { recursive: true, force: true })
  }
})

test('import --watch imports what is there and what comes, and stops cleanly', async () => {
  await using place = await importPlace('sqlite')
  const folder = join(place.folder, 'watched')
  await mkdir(folder)
  await writeFile(join(folder, 'a.txt'), 'the first letter')
  await writeFile(join(folder, 'noise.bin'), Buffer.from([1, 0, 2]))
  await assert.rejects(place.import(join(folder, 'a.txt'), '--watch'), /needs a folder/)
  await assert.rejects(place.import(folder, folder, '--watch'), /takes one folder/)
  await assert.rejects(place.import(folder, '--watch', '--dry-run'), /cannot be used together/)
  await place.call('/v1/owner/connections')
  const child = spawn(process.execPath, [MAIN, 'import', '--watch', folder, ...place.flags], {
    stdio: 'ignore',
  })
  const exit = once(child, 'exit')
  const titles = async () => {
    const answer = await place.request('/v1/streams/documents/records?order=asc')
    const { data = [] } = (await answer.json()) as { data?: { title: string }[] }
    return data.map(({ title }) => title).toSorted()
  }
  const until = async (...wanted: string[]) => {
    while (child.exitCode === null && (await titles()).join() !== wanted.join()) await sleep(50)
    assert.deepEqual(await titles(), wanted)
  }
  await until('a')
  await writeFile(join(folder, 'b.txt'), 'the second letter')
  await until('a', 'b')
  await writeFile(join(folder, 'more.zip'), zipOf([{ path: 'c.txt', content: 'the third letter' }]))
  await until('a', 'b', 'c')
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
})
