import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { install, lockFileOf, manifestOf, NPM_ARGS } from '../src/data-folder/installation.ts'
import { isMeaningOn, meaningFolder, meaningMark } from '../src/meaning/folder.ts'
import { MEANING, PACKAGES } from '../src/meaning/installation.ts'
import { piecesOf, shareOfWholeWords } from '../src/meaning/minilm.ts'
import { ModelProcess } from '../src/meaning/model-process.ts'
import { likeness, meaningFields, smallVector } from '../src/model/search/meaning.ts'
import { Meaning } from '../src/origin/meaning.ts'
import { onOneEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { tinyVector } from './tiny-model.ts'

const script = join(import.meta.dirname, 'tiny-model.ts')

/** Without a limit, the test would wait forever for a process that cannot start. */
const LIMIT = { timeout: 60_000 }

/** Waits for the effect of another process. */
async function until<T>(look: () => Promise<T> | T, isThere: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await look()
    if (isThere(value)) return value
    await sleep(20)
  }
}

test('the model runs in its own process and says why it has no answer', LIMIT, async () => {
  const reported: Error[] = []
  const options = { folder: import.meta.dirname, script, report: (error: Error) => reported.push(error) }
  using model = new ModelProcess({ ...options, patienceMs: 60_000, restartMs: 10 })
  assert.deepEqual(await model.ask('a ship'), { absent: 'stopped' })
  const known = await until(
    () => model.ask('a ship'),
    meaning => 'vector' in meaning,
  )
  assert.deepEqual(known, { vector: tinyVector('a ship') })
  assert.deepEqual(await model.ask('mañana'), { absent: 'language' })
  const texts = ['tea', 'ice', 'boat']
  assert.deepEqual(await Promise.all(texts.map(text => model.embed(text))), texts.map(tinyVector))
  const { process_id } = model
  assert.ok(process_id !== null)
  const asked = model.ask('ponder this')
  process.kill(process_id)
  assert.deepEqual(await asked, { absent: 'stopped' })
  assert.equal(reported.length, 1)
  await until(
    () => model.ask('another ship'),
    meaning => 'vector' in meaning,
  )
  using hasty = new ModelProcess({ ...options, patienceMs: 1 })
  const late = await until(
    () => hasty.ask('ponder this'),
    meaning => !('absent' in meaning && meaning.absent === 'stopped'),
  )
  assert.deepEqual(late, { absent: 'slow' })
})

test('a process that cannot be started is tried again, and nothing waits for it', LIMIT, async context => {
  const { execPath } = process
  context.after(() => {
    process.execPath = execPath
  })
  process.execPath = join(import.meta.dirname, 'no-such-node')
  const reported: Error[] = []
  using model = new ModelProcess({
    ...{ folder: import.meta.dirname, script, patienceMs: 60_000, restartMs: 10 },
    report: error => reported.push(error),
  })
  await assert.rejects(model.embed('a ship'), /ENOENT/)
  assert.match(reported[0]?.message ?? '', /ENOENT/)
  process.execPath = execPath
  const known = await until(
    () => model.ask('a ship'),
    meaning => 'vector' in meaning,
  )
  assert.deepEqual(known, { vector: tinyVector('a ship') })
})

test('the process may not read other files or start programs', LIMIT, async () => {
  const reported: Error[] = []
  using model = new ModelProcess({
    folder: import.meta.dirname,
    script: join(import.meta.dirname, 'prying-model.ts'),
    patienceMs: 60_000,
    report: error => reported.push(error),
  })
  const { vector } = (await until(
    () => model.ask('what can you reach?'),
    meaning => 'vector' in meaning,
  )) as { vector: Int8Array }
  // The process can access neither a system file, nor the environment, nor a program.
  assert.deepEqual([...vector], [0, 0, 0])
})

onOneEngine('a server embeds records while meaning is on, and stops when it is off', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('a', { body: 'a ship' }),
    message('b', { body: 'tea' }),
  ])
  const { directory } = server.location
  const failures: unknown[] = []
  await using meaning = new Meaning({
    ...{ store: server.store, directory, script, patienceMs: 60_000, lookMs: 20 },
    report: error => failures.push(error),
  })
  assert.equal(await meaning.ask('a ship'), null)
  mkdirSync(meaningFolder(directory))
  writeFileSync(meaningMark(directory), '{}')
  assert.ok(isMeaningOn(directory))
  const done = async () => (await server.json('/v1/owner/meaning')).body.done
  await until(done, n => n === 2)
  await server.ingest('messages', connection, [message('c', { body: 'ice' })])
  await until(done, n => n === 3)
  assert.deepEqual(await meaning.ask('ice'), { vector: tinyVector('ice') })
  await rm(meaningFolder(directory), { recursive: true })
  await until(
    () => meaning.ask('ice'),
    answer => answer === null,
  )
  assert.deepEqual(failures, [])
})

test('npm is told exact versions and checksums, and nothing else is installed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-meaning-'))
  const asked: string[][] = []
  const failing = async (folder: string, args: readonly string[]) => {
    asked.push([folder, ...args])
    throw new Error('no network')
  }
  await assert.rejects(install(directory, MEANING, failing), /no network/)
  assert.deepEqual(asked, [[meaningFolder(directory), ...NPM_ARGS]])
  assert.ok(NPM_ARGS.includes('ci') && NPM_ARGS.includes('--ignore-scripts'))
  assert.equal(isMeaningOn(directory), false)
  assert.deepEqual(Object.keys(lockFileOf(MEANING).packages).length, PACKAGES.length + 1)
  for (const { name, version, integrity } of PACKAGES) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name)
    assert.match(integrity, /^sha512-[\w+/]{86}==$/, name)
  }
  assert.deepEqual(Object.values(manifestOf(MEANING).dependencies), ['0.1.0', '1.23.2'])
  await rm(directory, { recursive: true })
})

test('texts are split into the pieces of a vocabulary', () => {
  const words = ['[UNK]', '[CLS]', '[SEP]', 'the', 'harbour', 'un', '##believ', '##able', '!', '東', 'cafe']
  const pieces = new Map(words.map((word, number) => [word, number]))
  const vocabulary = { pieces, unknown: 0, first: 1, last: 2 }
  assert.deepEqual(piecesOf('The HARBOUR, unbelievable!', vocabulary, 64), [1, 3, 4, 0, 5, 6, 7, 8, 2])
  assert.deepEqual(piecesOf('Café東東 xyz\u200b', vocabulary, 64), [1, 10, 9, 9, 0, 2])
  assert.deepEqual(piecesOf('the the the the', vocabulary, 4), [1, 3, 3, 2])
  assert.deepEqual(piecesOf('', vocabulary, 4), [1, 2])
  assert.equal(shareOfWholeWords('the harbour mañana unbelievable', vocabulary), 0.5)
})

test('vectors are compared by their angle', () => {
  assert.deepEqual([...smallVector([0.5, -1, 0.25])], [64, -127, 32])
  assert.deepEqual([...smallVector([0, 0])], [0, 0])
  assert.equal(likeness(smallVector([1, 0]), smallVector([0, 1])), 0)
  assert.equal(likeness(smallVector([3, 0]), smallVector([1, 0])), 1)
  assert.equal(likeness(smallVector([0, 0]), smallVector([1, 0])), 0)
})

test('the vector of a record is made of its title and text, or of all that is searched', () => {
  const text = { type: 'string' }
  const stream = (properties: object, lexical_fields: string[]) =>
    ({
      name: 's',
      semantics: 'mutable_state',
      schema: { type: 'object', properties },
      primary_key: ['id'],
      query: { search: { lexical_fields } },
    }) as unknown as Parameters<typeof meaningFields>[0]
  const roles = {
    from: text,
    title: { ...text, x_pdpp_role: 'primary-title' },
    body: { ...text, x_pdpp_role: 'primary-text' },
  }
  assert.deepEqual(meaningFields(stream(roles, ['from', 'body', 'title'])), ['title', 'body'])
  assert.deepEqual(meaningFields(stream(roles, ['from', 'title'])), ['from', 'title'])
  assert.deepEqual(meaningFields(stream(roles, ['body'])), ['body'])
})
