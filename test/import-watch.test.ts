import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchedFolder } from '../src/api/owner/watched-folders.ts'
import { keepImported } from '../src/cli/import/keep-imported.ts'
import { changedPaths } from '../src/cli/import/watch.ts'
import { WatchedFolders } from '../src/data-folder/watched-folders.ts'
import { zipOf } from './archives.ts'
import { footnote, freshPlace, listeningOn } from './command-line.ts'
import { onEitherEngine } from './engines.ts'
import { importPlace } from './import-place.ts'
import { rowsOf } from './rows-of.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')

test('a watched folder yields what is new or changed, archives separately, until it is stopped', async () => {
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

test('import --watch imports what exists and what is added, and stops cleanly', async () => {
  await using place = await importPlace('sqlite')
  const folder = join(place.folder, 'watched')
  await mkdir(folder)
  await writeFile(join(folder, 'a.txt'), 'the first letter')
  await writeFile(join(folder, 'noise.bin'), Buffer.from([1, 0, 2]))
  await assert.rejects(place.import(join(folder, 'a.txt'), '--watch'), /needs a folder, and .* is not one/)
  await assert.rejects(place.import(folder, folder, '--watch'), /needs exactly one folder/)
  await assert.rejects(place.import(folder, '--watch', '--dry-run'), /cannot be used together/)
  await place.call('/v1/owner/connections')
  const child = spawn(process.execPath, [MAIN, 'import', '--watch', folder, ...place.flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    told += text
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
  const link = { path: 'bad\u001b[31m', content: 'nowhere', mode: 0o120777 }
  await writeFile(join(folder, 'links.zip'), zipOf([link]))
  await writeFile(join(folder, 'b.txt'), 'the second letter')
  await until('a', 'b')
  await writeFile(join(folder, 'more.zip'), zipOf([{ path: 'c.txt', content: 'the third letter' }]))
  await until('a', 'b', 'c')
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
  assert.match(told, /bad·\[31m: This is a symbolic link/)
})

onEitherEngine(
  'a running server keeps watched folders imported, and notices added and removed ones',
  async engine => {
    await using place = await importPlace(engine)
    const folder = join(place.folder, 'watched')
    const missing = join(place.folder, 'later')
    await mkdir(folder)
    await mkdir(missing)
    const watch = (...args: string[]) => footnote(['watch', ...args, ...place.flags])
    const stop = new AbortController()
    const events: string[] = []
    const log = {
      failure: (error: unknown) => events.push(String(error)),
      event: (words: string) => events.push(words),
      request() {},
    }
    const pace = { listMs: 5, retryMs: 5, folder: { quietMs: 2, lookMs: 5 } }
    const keeping = keepImported(place.dataFolder, await place.server(), log, stop.signal, pace)
    await using _stopped = {
      async [Symbol.asyncDispose]() {
        stop.abort()
        await keeping
      },
    }
    const titles = async (): Promise<string[]> => {
      const answer = await place.request('/v1/streams/documents/records?order=asc')
      const { data = [] } = (await answer.json()) as { data?: { title: string }[] }
      return data.map(({ title }) => title).toSorted()
    }
    const until = async (...wanted: string[]) => {
      while ((await titles()).join() !== wanted.join()) await sleep(5)
    }
    await writeFile(join(folder, 'a.txt'), 'the first letter')
    await writeFile(join(folder, 'spent.csv'), 'payee,amount\nGrocer,12.50\nBaker,3.20\n')
    assert.equal((await watch('add', folder)).code, 0)
    await until('a')
    await watch('add', missing, '--name', 'Letters')
    await rm(missing, { recursive: true })
    while (!events.some(words => words.includes('later') && !words.startsWith('Watching'))) await sleep(5)
    await mkdir(missing)
    await writeFile(join(missing, 'b.txt'), 'the second letter')
    await until('a', 'b')
    const listed = async () => {
      const { data } = JSON.parse((await watch('list', '--json')).stdout) as { data: WatchedFolder[] }
      return data
    }
    // Records can be read before their import has ended and is listed.
    let data = await listed()
    while (data.some(({ last_import, looked_at }) => !last_import || !looked_at)) data = await listed()
    assert.deepEqual(rowsOf(data, 'path', 'name', 'format'), [
      [folder, null, null],
      [missing, 'Letters', null],
    ])
    assert.match((await watch('list')).stdout, /later {2}to Letters\n {2}last check: /)
    // A requested check runs even if nothing has changed.
    const looks = () => events.filter(words => words === `Watching ${folder}.`).length
    await new WatchedFolders(place.dataFolder).ask(data[0]?.folder_id ?? '', new Date())
    while (looks() < 2) await sleep(5)
    await watch('remove', folder)
    await writeFile(join(folder, 'c.txt'), 'not watched any more')
    await writeFile(join(missing, 'd.txt'), 'the fourth letter')
    await until('a', 'b', 'd')
    stop.abort()
    await keeping
    for (const added of [1, 2])
      assert.ok(events.includes(`Imported ${folder}: ${added} added, 0 updated, 0 rejected.`), 'every format')
    assert.match((await watch('remove', folder)).stderr, /is not watched/)
    assert.match((await watch('add', place.folder)).stderr, /contains the data of Footnote itself/)
    assert.match((await watch('add', folder, '--as', 'paper')).stderr, /Unknown format "paper"/)
    assert.match((await watch('add', join(folder, 'a.txt'))).stderr, /is not one/)
  },
)

test('watch add says whether a server imports the folder now', async () => {
  const { location, flags, remove } = await freshPlace('sqlite')
  const folder = await mkdtemp(join(tmpdir(), 'footnote-watched-'))
  const said = async () => (await footnote(['watch', 'add', folder, ...flags])).stderr
  assert.match(await said(), /^It is imported while a server runs on this data folder: /)
  {
    await using server = await listeningOn(location)
    assert.equal(await said(), `The server at ${server.address} imports it now.\n`)
  }
  await rm(folder, { recursive: true })
  await remove()
})
