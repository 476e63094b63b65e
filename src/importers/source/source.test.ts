import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { tarOf, zipOf } from '../../../test/archives.ts'
import { rowsOf } from '../../../test/rows-of.ts'
import { CodedError } from '../../model/errors.ts'
import { openSource, partsTogether } from './open.ts'
import type { SourceFile } from './source.ts'
import { exportOf } from './telling-name.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'footnote-sources-'))
})
after(() => rm(folder, { recursive: true, force: true }))

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, content)
  return path
}

async function textOf(file: SourceFile, start = 0): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of file.open(start)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function refusal(path: string): Promise<CodedError> {
  try {
    await using source = await openSource(path)
    for (const file of source.files) await textOf(file)
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error))
    return error
  }
  return assert.fail('was opened')
}

const LONG = `${'deep/'.repeat(30)}letter.txt`
const LETTER = 'x'.repeat(70_000)
const FILES = [
  { path: 'a.txt', content: 'first' },
  { path: LONG, content: LETTER },
  { path: 'sub/ü.txt', content: 'second' },
]
const LITTER = [
  { path: '__MACOSX/._a.txt', content: 'litter' },
  { path: 'sub/._ü.txt', content: 'litter' },
  { path: '.DS_Store', content: 'litter' },
]
const TAR = tarOf([
  { path: 'sub/', type: '5' },
  ...LITTER,
  { path: 'sub/ü.txt', content: 'second' },
  { path: '././@LongLink', content: `${LONG}\0`, type: 'L' },
  { path: LONG.slice(0, 99), content: LETTER },
  { path: 'a.txt', content: 'first' },
])

test('a folder, a zip, a tar and a gzipped tar look the same', async () => {
  for (const { path, content } of [...FILES, ...LITTER]) await written(`folder/${path}`, content)
  for (const [kind, path] of [
    ['folder', join(folder, 'folder')],
    ['zip', await written('some.zip', zipOf([...LITTER, { path: 'sub/', content: '' }, ...FILES]))],
    ['tar', await written('some.tar', TAR)],
    ['tar', await written('some.tgz', gzipSync(TAR))],
  ] as const) {
    await using source = await openSource(path)
    assert.equal(source.kind, kind)
    const byPath = new Map(source.files.map(file => [file.path, file]))
    assert.deepEqual([...byPath.keys()].sort(), FILES.map(file => file.path).sort(), path)
    for (const { path: name, content } of FILES) {
      const file = byPath.get(name) as SourceFile
      assert.equal(file.size, Buffer.byteLength(content))
      assert.equal(await textOf(file), content)
      assert.equal(await textOf(file, 3), content.slice(3))
      assert.equal((await file.head()).toString(), content.slice(0, 4096))
      assert.equal(await textOf(file, content.length), '')
    }
    assert.deepEqual(source.leftOut, [])
  }
})

test('files of a gzipped tar can be read partly, again and in any order', async () => {
  await using source = await openSource(await written('again.tgz', gzipSync(TAR)))
  for (const file of [...source.files, ...source.files.toReversed(), ...source.files]) {
    for await (const chunk of file.open()) {
      assert.ok(chunk.length > 0)
      break
    }
    assert.equal((await textOf(file)).length, file.path === LONG ? LETTER.length : Math.trunc(file.size))
  }
})

test('a gzipped file is read as the file inside', async () => {
  await using source = await openSource(await written('list.txt.gz', gzipSync('some text')))
  assert.deepEqual(rowsOf(source.files, 'path', 'size'), [['list.txt', 9]])
  assert.equal(await textOf(source.files[0] as SourceFile, 5), 'text')
})

test('links are never followed: not as a path, not in a folder, not in an archive', async () => {
  const secret = await written('outside/secret.txt', 'secret')
  await written('linked/plain.txt', 'plain')
  await symlink(secret, join(folder, 'linked/link.txt'))
  await symlink(join(folder, 'outside'), join(folder, 'linked/all'))
  const zip = zipOf([
    { path: 'link', content: '/etc/passwd', mode: 0o120777 },
    { path: 'plain.txt', content: 'plain' },
  ])
  const tar = tarOf([
    { path: 'link', type: '2' },
    { path: 'plain.txt', content: 'plain' },
  ])
  for (const path of [
    join(folder, 'linked'),
    await written('linked.zip', zip),
    await written('linked.tar', tar),
    await written('linked.tgz', gzipSync(tar)),
  ]) {
    await using source = await openSource(path)
    assert.deepEqual(
      source.files.map(file => file.path),
      ['plain.txt'],
    )
    assert.ok(source.leftOut.length > 0 && source.leftOut.every(({ code }) => code === 'symlink'))
  }
  assert.equal((await refusal(join(folder, 'linked/link.txt'))).code, 'source_unsafe')
  assert.equal((await refusal(join(folder, 'linked/all'))).code, 'source_unsafe')
})

test('paths that lead out of an archive are refused', async () => {
  for (const path of ['../evil.txt', 'a/../../evil.txt', '/evil.txt', 'C:/evil.txt', '..\\evil.txt']) {
    const zip = await written('evil.zip', zipOf([{ path, content: 'x' }]))
    assert.equal((await refusal(zip)).code, 'source_unsafe', path)
    const tar = tarOf([{ path, content: 'x' }])
    assert.equal((await refusal(await written('evil.tar', tar))).code, 'source_unsafe', path)
    assert.equal((await refusal(await written('evil.tgz', gzipSync(tar)))).code, 'source_unsafe', path)
  }
})

test('zip bombs are refused before they are unpacked, and false sizes while they are unpacked', async () => {
  const claim = zipOf([{ path: 'zeros', content: 'x'.repeat(1_000), claimedSize: 2 ** 31 }])
  const bomb = await refusal(await written('bomb.zip', claim))
  assert.equal(bomb.code, 'source_unsafe')
  assert.match(bomb.message, /bomb/)
  // Each entry is harmless, but together they are not.
  const entries = Array.from({ length: 60 }, (_, i) => ({
    path: `zeros-${i}`,
    content: 'x'.repeat(1_000),
    claimedSize: 90 * 1024 * 1024,
  }))
  assert.equal((await refusal(await written('bombs.zip', zipOf(entries)))).code, 'source_unsafe')
  // So is each zip in a zip.
  const inner = zipOf([{ path: 'zeros', content: 'x'.repeat(1_000), claimedSize: 90 * 1024 * 1024 }])
  const zips = Array.from({ length: 3 }, (_, i) => ({ path: `${i}.zip`, content: inner }))
  assert.equal((await refusal(await written('zips.zip', zipOf(zips)))).code, 'source_unsafe')
  // A gzip file may consist of several members in sequence.
  const zeros = gzipSync(Buffer.alloc(1024 * 1024))
  const gzipped = Buffer.concat(Array.from({ length: 120 }, () => zeros))
  assert.equal((await refusal(await written('bomb.gz', gzipped))).code, 'source_unsafe')
  const head = gzipSync(tarOf([{ path: 'zeros', claimedSize: 120 * 1024 * 1024 }]).subarray(0, 512))
  assert.equal(
    (await refusal(await written('bomb.tgz', Buffer.concat([head, gzipped])))).code,
    'source_unsafe',
  )
  const lie = zipOf([{ path: 'a.txt', content: 'x'.repeat(100_000), claimedSize: 10 }])
  assert.equal((await refusal(await written('lie.zip', lie))).code, 'source_unsafe')
})

test('encrypted, broken and missing sources are refused with the reason', async () => {
  const encrypted = zipOf([{ path: 'a.txt', content: 'x', encrypted: true }])
  const refused = await refusal(await written('encrypted.zip', encrypted))
  assert.equal(refused.code, 'archive_encrypted')
  assert.match(refused.message, /password/)
  const whole = zipOf(FILES)
  assert.equal((await refusal(await written('cut.zip', whole.subarray(0, 200)))).code, 'archive_broken')
  const bent = Buffer.from(whole)
  bent.fill(0xff, 45, 60)
  assert.equal((await refusal(await written('bent.zip', bent))).code, 'archive_broken')
  assert.equal(
    (await refusal(await written('cut.tgz', gzipSync(TAR).subarray(0, 200)))).code,
    'archive_broken',
  )
  for (const length of [1_000, 20_000]) {
    const cut = TAR.subarray(0, length)
    assert.equal((await refusal(await written('cut.tar', cut))).code, 'archive_broken')
    assert.equal((await refusal(await written('short.tgz', gzipSync(cut)))).code, 'archive_broken')
  }
  assert.equal((await refusal(join(folder, 'nowhere'))).code, 'source_not_found')
})

test('zips inside a zip are read, each in a folder of its name, and leave no temporary files', async () => {
  const inner = (content: string) => zipOf([{ path: '_chat.txt', content }])
  const path = await written(
    'chats.zip',
    zipOf([
      { path: 'Ada.zip', content: inner('from Ada') },
      { path: 'old/Ben.zip', content: inner('from Ben') },
      { path: 'broken.zip', content: 'PK\x03\x04 is not all of it' },
      { path: 'Export-1-Part-1.zip', content: zipOf([{ path: 'Page.md', content: 'a page' }]) },
      { path: 'a.txt', content: 'beside' },
    ]),
  )
  const temporary = async () => (await readdir(tmpdir())).filter(name => name.startsWith('footnote-zip-'))
  const before = await temporary()
  {
    await using source = await openSource(path)
    const texts = await Promise.all(source.files.map(async file => [file.path, await textOf(file)]))
    assert.deepEqual(texts, [
      ['Ada/_chat.txt', 'from Ada'],
      ['Page.md', 'a page'],
      ['a.txt', 'beside'],
      ['broken.zip', 'PK\x03\x04 is not all of it'],
      ['old/Ben/_chat.txt', 'from Ben'],
    ])
  }
  assert.deepEqual(
    (await temporary()).filter(name => !before.includes(name)),
    [],
  )
})

test('a zip inside a zip that cannot be opened is left out with the reason, and the rest is read', async () => {
  const inner = zipOf([{ path: 'a.txt', content: 'secret', encrypted: true }])
  const path = await written(
    'drive.zip',
    zipOf([
      { path: 'locked.zip', content: inner },
      { path: 'b.txt', content: 'open' },
    ]),
  )
  await using source = await openSource(path)
  assert.deepEqual(
    source.files.map(file => file.path),
    ['b.txt'],
  )
  assert.deepEqual(rowsOf(source.leftOut, 'path', 'code'), [['locked.zip', 'unreadable']])
  assert.match(source.leftOut[0]?.message ?? '', /locked\.zip is encrypted .*password/)
})

test('the archives of one export are one source, by their paths and as a folder', async () => {
  const part = (number: number, files: Record<string, string>) =>
    written(
      `parts/takeout-20260504T101500Z-00${number}.zip`,
      zipOf(Object.entries(files).map(([path, content]) => ({ path, content }))),
    )
  const first = await part(1, { 'Takeout/index.html': 'list', 'Takeout/Keep/a.json': '{}' })
  const second = await part(2, { 'Takeout/index.html': 'list', 'Takeout/Keep/a.png': 'picture' })
  const third = await part(3, { 'Takeout/Keep/a.png': 'another picture' })
  const expected = [
    ['Takeout/Keep/a.json', '{}'],
    ['Takeout/Keep/a.png', 'picture'],
    ['Takeout/index.html', 'list'],
    ['takeout-20260504T101500Z-003/Takeout/Keep/a.png', 'another picture'],
  ]
  assert.deepEqual(partsTogether([second, '/x/b.zip', first, '/x/b.zip', third]), [
    [first, second, third],
    ['/x/b.zip'],
    ['/x/b.zip'],
  ])
  for (const opened of [openSource(first, second, third), openSource(join(folder, 'parts'))]) {
    await using source = await opened
    const texts = await Promise.all(source.files.map(async file => [file.path, await textOf(file)]))
    assert.deepEqual(texts, expected)
    assert.deepEqual([source.name, source.kind], ['takeout-20260504T101500Z', 'zip'])
  }
  await written('parts/notes.txt', 'beside')
  await using mixed = await openSource(join(folder, 'parts'))
  assert.equal(mixed.kind, 'folder')
})

test('archives are known as parts of one export by the names that providers give them', () => {
  const known = [
    ['takeout-20260504T101500Z-001.zip', 'takeout-20260504T101500Z'],
    ['takeout-20260504T101500Z-2-001.tgz', 'takeout-20260504T101500Z'],
    ['facebook-ada-2026-05-04-AbC123.zip', 'facebook-ada-2026-05-04'],
    ['instagram-ada-04_05_2026-xYz.zip', 'instagram-ada-04_05_2026'],
    ['iCloud Notes Part 1 of 3.zip', 'iCloud Notes'],
    ['Export-0b1c-Part-2.zip', 'Export-0b1c'],
    ['photos-2.zip', null],
    ['WhatsApp Chat - Ben.zip', null],
  ] as const
  for (const [name, of] of known) assert.equal(exportOf(`/tmp/${name}`), of, name)
})
