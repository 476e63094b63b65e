import assert from 'node:assert/strict'
import fs from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { tarOf } from '../../../test/archives.ts'
import { folderWith } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'
import { openSource } from './open.ts'

const LINUX = { skip: process.platform !== 'linux' && 'other systems have no such names' }
const LATIN_1 = Buffer.from('café', 'latin1')

test('files and folders whose names are not UTF-8 are read', LINUX, async context => {
  const folder = folderWith(context, { 'a.txt': 'first' })
  const strange = Buffer.concat([Buffer.from(`${folder}/`), LATIN_1])
  await mkdir(strange)
  await writeFile(Buffer.concat([strange, Buffer.from('/b.txt')]), 'second')
  await writeFile(Buffer.concat([strange, Buffer.from('.txt')]), 'third')
  await using source = await openSource(folder)
  const texts = source.files.map(async file => [
    file.path,
    (await file.head()).toString(),
    Buffer.concat(await Array.fromAsync(file.open())).toString(),
  ])
  assert.deepEqual(await Promise.all(texts), [
    ['a.txt', 'first', 'first'],
    ['café.txt', 'third', 'third'],
    ['café/b.txt', 'second', 'second'],
  ])
  assert.deepEqual(source.leftOut, [])
})

test('a file that disappears while its folder is listed is left out and named; the others are read', async context => {
  const folder = folderWith(context, { 'a.txt': 'first', 'b.txt': 'second', 'sub/c.txt': 'third' })
  const { lstat } = fs.promises
  context.mock.method(fs.promises, 'lstat', async (path: string) => {
    if (basename(path) === 'a.txt') fs.rmSync(path)
    return lstat(path)
  })
  syncBuiltinESMExports()
  context.after(() => {
    context.mock.restoreAll()
    syncBuiltinESMExports()
  })
  await using source = await openSource(folder)
  assert.deepEqual(valuesOf(source.files, 'path'), ['b.txt', join('sub', 'c.txt')])
  assert.deepEqual(rowsOf(source.leftOut, 'path', 'code'), [['a.txt', 'unreadable']])
})

test('a tar may contain files from before 1970, and files without a valid time', async context => {
  const tar = tarOf([
    { path: 'a.txt', content: 'first' },
    { path: 'b.txt', content: 'second' },
  ])
  const second = 1024
  tar.fill(0xff, 136, 148)
  tar.write('not a time  ', second + 136)
  const folder = folderWith(context, { 'a.tar': tar, 'a.tgz': gzipSync(tar) })
  for (const name of ['a.tar', 'a.tgz']) {
    await using source = await openSource(join(folder, name))
    assert.deepEqual(rowsOf(source.files, 'path', 'modified_at'), [
      ['a.txt', '1969-12-31T23:59:59.000Z'],
      ['b.txt', null],
    ])
  }
})
