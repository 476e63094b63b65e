import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { listRejections } from '../src/api/owner/imports.ts'
import { importInto } from '../src/cli/import/import-into.ts'
import { planOf } from '../src/cli/import/import-plan.ts'
import { TOO_LARGE } from '../src/importers/events.ts'
import { IMPORTERS } from '../src/importers/importers.ts'
import { MessageReader } from '../src/importers/mail/message.ts'
import { recognise } from '../src/importers/recognition.ts'
import { openSource } from '../src/importers/source/open.ts'
import type { Source } from '../src/importers/source/source.ts'
import { CodedError } from '../src/model/errors.ts'
import { onEitherEngine } from './engines.ts'
import type { MadeExport } from './exports/made-export.ts'
import { MADE_EXPORTS } from './exports/made-exports.ts'
import { importPlace } from './import-place.ts'
import { sourceOf } from './imported.ts'
import { folderWith, readingOf } from './imported-folder.ts'
import { rowsOf, valuesOf } from './rows-of.ts'

const codes = (reading: Awaited<ReturnType<typeof readingOf>>) => reading.rejections.map(({ code }) => code)

test('users and channels without an id are rejected, one by one', async context => {
  const message = { type: 'message', user: 'U1', text: 'Hello', ts: '1711785600.000100' }
  const folder = folderWith(context, {
    'users.json': [{ name: 'nobody' }, { id: 'U1', name: 'ada' }],
    'channels.json': [{ created: 1 }, { id: 'C1', name: 'general' }],
    'general/2024-03-30.json': [message],
  })
  const reading = await readingOf('slack', folder)
  assert.deepEqual(codes(reading), ['no_id', 'no_id'])
  assert.deepEqual([reading.of('slack_users').length, reading.of('slack_channels').length], [1, 1])
})

test('an item that is nested too deep is rejected alone', async context => {
  const deep = `{"a":1,"b":${'['.repeat(200)}${']'.repeat(200)}}`
  const reading = await readingOf('table', folderWith(context, { 'a.jsonl': `{"a":1}\n${deep}\n{"a":3}\n` }))
  assert.deepEqual(codes(reading), ['too_deep'])
  assert.equal(reading.of('rows').length, 2)
})

test('a note that is too large is rejected alone', async context => {
  const folder = folderWith(context, { 'large.md': '# Large', 'small.md': '# Small' })
  truncateSync(join(folder, 'large.md'), 65 * 1024 * 1024)
  const reading = await readingOf('markdown', folder)
  assert.deepEqual(codes(reading), ['item_too_large'])
  assert.equal(reading.of('notes').length, 1)
  assert.equal(TOO_LARGE.code, 'item_too_large')
})

test('a message that the reader fails on is rejected alone', async context => {
  const message = (subject: string) =>
    `From a@example.org Mon Jan  5 10:00:00 2026\nFrom: a@example.org\nSubject: ${subject}\n\nText of ${subject}.\n\n`
  const folder = folderWith(context, { 'a.mbox': message('one') + message('two') + message('three') })
  const { line } = MessageReader.prototype
  context.mock.method(
    MessageReader.prototype,
    'line',
    function (this: MessageReader, ...args: Parameters<typeof line>) {
      if (args[0].toString().startsWith('Text of two')) throw new Error('The reader failed.')
      line.apply(this, args)
    },
  )
  const reading = await readingOf('mbox', join(folder, 'a.mbox'))
  assert.deepEqual(codes(reading), ['unreadable_message'])
  assert.deepEqual(valuesOf(reading.of('emails'), 'subject'), ['one', 'three'])
})

test('a file that disappears before it is read, or is neither file nor folder, is rejected', async context => {
  const folder = folderWith(context, { 'a.md': '# Note' })
  await using source = await openSource(folder)
  rmSync(join(folder, 'a.md'))
  const [file] = source.files
  const unreadable = { code: 'source_unreadable', status: 422 }
  await assert.rejects(file?.head() ?? Promise.resolve(), unreadable)
  await assert.rejects(Array.fromAsync(file?.open() ?? []), unreadable)
  await assert.rejects(openSource('/dev/null'), unreadable)
})

test('a special file in a folder is left out and named', async context => {
  const folder = folderWith(context, { 'a.md': '# Note' })
  execFileSync('mkfifo', [join(folder, 'pipe')])
  await using source = await openSource(folder)
  assert.deepEqual(rowsOf(source.leftOut, 'path', 'code'), [['pipe', 'special_file']])
})

test('of a single file that cannot be read to its end, everything before is read, and the place is named', async context => {
  const lines = (line: (number: number) => string) =>
    Array.from({ length: 20_000 }, (_, number) => line(number))
  const files = {
    'a.mbox': lines(
      number =>
        `From a@example.org Mon Jan  5 10:00:00 2026\nFrom: a@example.org\nSubject: Mail ${number}\n\nText.\n\n`,
    ),
    'a.ndjson': lines(number => `{"id": ${number}, "text": "Line ${number}"}\n`),
    'a.csv': ['id,name,text\n', ...lines(number => `${number},Name ${number},Line ${number}\n`)],
  }
  for (const [name, content] of Object.entries(files)) {
    const packed = gzipSync(content.join(''))
    const cut = packed.subarray(0, packed.length / 2)
    await using source = await openSource(join(folderWith(context, { [`${name}.gz`]: cut }), `${name}.gz`))
    const { finding } = await planOf(source, undefined)
    const events = await Array.fromAsync(finding.read(null))
    const records = events.filter(event => event.kind === 'record')
    assert.ok(records.length > 1_000 && records.length < 19_000, `${records.length} records of ${name}`)
    const [rejection, ...others] = events.filter(event => event.kind === 'rejection')
    assert.deepEqual(others, [])
    assert.match(
      rejection?.message ?? '',
      /^a\..*\.gz is broken: unexpected end of file, after [\d,]+ bytes of its content\.$/,
    )
    assert.match(
      rejection?.place ?? '',
      name === 'a.mbox' ? /^a\.mbox, byte \d+$/ : /^a\..*, after item \d+$/,
    )
  }
})

for (const made of MADE_EXPORTS) {
  const files = filesOf(made)
  const paths = Object.keys(files)
  if (paths.length === 1) continue
  test(`one file of ${made.format} that cannot be read does not stop the others (${made.layout ?? 'its only layout'})`, async () => {
    for (const path of paths) {
      for (const readable of [0, 1]) {
        const source = withDamage(sourceOf(files), path, readable)
        for (const { finding } of (await recognise(source, IMPORTERS)).found) {
          // Whoever stores a file is told by the importer that it could not be read.
          for await (const event of finding.read(null))
            if (event.kind === 'blob' && !(event.bytes instanceof Uint8Array))
              await Array.fromAsync(event.bytes).catch(() => {})
        }
      }
    }
  })
}

function filesOf(made: MadeExport): Record<string, string | Uint8Array> {
  const files = Object.entries(made.of(3)).map(([path, content]) => [
    path,
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  ])
  return Object.fromEntries(files)
}

/** The same source, in which one file cannot be read after its first bytes. */
function withDamage(source: Source, path: string, readable: number): Source {
  const files = source.files.map(file => ({
    ...file,
    async *open(start = 0) {
      if (file.path !== path) return yield* file.open(start)
      for await (const chunk of file.open(start)) {
        if (readable > 0) yield chunk.subarray(0, readable)
        throw new CodedError('source_unreadable', `${path} cannot be read: it is damaged.`)
      }
    },
  }))
  return { ...source, files }
}

onEitherEngine('an attachment that cannot be read is rejected, and its note is imported', async engine => {
  await using place = await importPlace(engine)
  const folder = join(place.folder, 'vault')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.md'), '# Note\n\n![[p.png]] ![[q.png]]\n')
  for (const name of ['p.png', 'q.png']) writeFileSync(join(folder, name), `picture ${name}`)
  await using source = await openSource(folder)
  const plan = await planOf(source, undefined)
  rmSync(join(folder, 'p.png'))
  const watch = { begun() {}, progress() {} }
  const server = await place.server()
  const { begun, counts } = await importInto(server, source, plan, { connection_id: null, name: null }, watch)
  assert.deepEqual([counts.added, counts.rejected], [1, 1])
  const { body } = await server.get(listRejections, begun)
  assert.deepEqual(rowsOf(body.data, 'place', 'code'), [['p.png', 'source_unreadable']])
})
