import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { tarOf, zipOf } from '../../../test/archives.ts'
import { folderWith } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'
import { CodedError } from '../../model/errors.ts'
import { openSource } from './open.ts'
import type { SourceFile } from './source.ts'

const NOTES = notesOf(512)

/** Three notes that fill whole blocks of a tar. */
function notesOf(bytes: number) {
  return [1, 2, 3].map(number => ({ path: `${number}.md`, content: String(number).repeat(bytes * number) }))
}

async function textOf(file: SourceFile): Promise<string> {
  return Buffer.concat(await Array.fromAsync(file.open())).toString()
}

/** What can be read of an archive: the text of each file, or the code of the error; and what was left out. */
async function readableIn(context: TestContext, name: string, bytes: Uint8Array) {
  const path = join(folderWith(context, {}), name)
  writeFileSync(path, bytes)
  await using source = await openSource(path)
  const texts: Record<string, string> = {}
  for (const file of source.files) {
    assert.ok(!(file.path in texts), `${file.path} is listed twice`)
    texts[file.path] = await textOf(file).catch(error => {
      assert.ok(error instanceof CodedError, String(error))
      return error.code
    })
  }
  return { texts, leftOut: source.leftOut }
}

const WHOLE = Object.fromEntries(NOTES.map(({ path, content }) => [path, content]))

test('an encrypted or oddly compressed file in a zip is left out with the reason, and the others are read', async context => {
  const odd = zipOf([
    ...NOTES,
    { path: '4.md', content: 'x', encrypted: true },
    { path: '5.md', content: 'y' },
  ])
  for (const at of [odd.lastIndexOf('PK\x03\x04'), odd.lastIndexOf('PK\x01\x02') + 2])
    odd.writeUInt16LE(14, at + 8)
  const { texts, leftOut } = await readableIn(context, 'odd.zip', odd)
  assert.deepEqual(texts, WHOLE)
  assert.deepEqual(rowsOf(leftOut, 'path', 'code'), [
    ['4.md', 'unreadable'],
    ['5.md', 'unreadable'],
  ])
  assert.match(leftOut[0]?.message ?? '', /encrypted.*password/)
  assert.match(leftOut[1]?.message ?? '', /compression method.*14/)
})

test('of two files with one name in an archive the later one is read, as if it was unpacked, and the other is named', async context => {
  const twice = [...NOTES, { path: '1.md', content: 'later' }]
  const archives = { 'a.zip': zipOf(twice), 'a.tar': tarOf(twice), 'a.tgz': gzipSync(tarOf(twice)) }
  for (const [name, bytes] of Object.entries(archives)) {
    const { texts, leftOut } = await readableIn(context, name, bytes)
    assert.deepEqual(texts, { ...WHOLE, '1.md': 'later' }, name)
    assert.deepEqual(rowsOf(leftOut, 'path', 'code'), [['1.md', 'replaced']], name)
  }
})

test('a zip with other data after its end is refused in plain words', async context => {
  const joined = Buffer.concat([zipOf(NOTES), Buffer.from('from a gateway')])
  await assert.rejects(readableIn(context, 'a.zip', joined), {
    code: 'archive_broken',
    message: 'a.zip has 14 bytes of other data after its end. Unpack it and import the folder.',
  })
})

test('of a tar that is cut off, what comes before is read, and the rest is reported', async context => {
  const tar = tarOf(NOTES)
  const end = tar.length - 1024
  for (let length = 512; length < tar.length; length += 64) {
    for (const [name, bytes] of [
      ['a.tar', tar.subarray(0, length)],
      ['a.tgz', gzipSync(tar.subarray(0, length))],
    ] as const) {
      const { texts, leftOut } = await readableIn(context, name, bytes).catch(error => {
        assert.ok(error instanceof CodedError && length < 2048, `${name} of ${length} bytes: ${error}`)
        return { texts: {}, leftOut: [] }
      })
      for (const [path, text] of Object.entries(texts))
        assert.ok(text === WHOLE[path] || text === 'archive_broken', `${path} of ${length} bytes`)
      const isMissed = leftOut.length > 0 || Object.values(texts).includes('archive_broken')
      const isBetweenFiles = length % 512 === 0
      if (length >= 2048 && length < end && !isBetweenFiles) assert.ok(isMissed, `${name} of ${length} bytes`)
      if (length >= end) assert.deepEqual(texts, WHOLE)
    }
  }
})

test('of a gzipped tar or file that is cut off at any byte, what comes before is read, and the rest is reported', async context => {
  const large = notesOf(30 * 1024)
  const packed = gzipSync(tarOf(large), { level: 0 })
  for (let length = 20; length < packed.length - 1200; length += 1_777) {
    const { texts, leftOut } = await readableIn(context, 'a.tgz', packed.subarray(0, length)).catch(error => {
      assert.ok(error instanceof CodedError, String(error))
      return { texts: {}, leftOut: null }
    })
    assert.ok(length < 50_000 || leftOut !== null, `${length} bytes`)
    for (const [path, text] of Object.entries(texts))
      assert.ok(
        text === large.find(note => note.path === path)?.content || text === 'archive_broken',
        `${path} of ${length} bytes`,
      )
    if (leftOut !== null) assert.ok(leftOut.length > 0 || Object.values(texts).includes('archive_broken'))
  }
  const cut = gzipSync('a line\n'.repeat(20_000), { level: 0 }).subarray(0, 100_000)
  const path = join(folderWith(context, {}), 'a.txt.gz')
  writeFileSync(path, cut)
  await using source = await openSource(path)
  let read = 0
  await assert.rejects(
    async () => {
      for await (const chunk of source.files[0]?.open() ?? []) read += chunk.length
    },
    {
      code: 'archive_broken',
      message: /^a\.txt\.gz is broken: unexpected end of file, after [\d,]+ bytes of its content\.$/,
    },
  )
  assert.ok(read > 60_000)
})
