import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, test } from 'node:test'
import { commandSpelling, withSpelling } from './spelling.ts'

const ROOT = join(import.meta.dirname, '../../..')
const BY_PATH = `node ${join(ROOT, 'bin', 'footnote.js')}`
const outside = await mkdtemp(join(tmpdir(), 'footnote-spelling-'))
after(() => rm(outside, { recursive: true, force: true }))

test('in a checkout that npm works for, npm exec finds the command', () => {
  assert.equal(commandSpelling({ npmPrefix: ROOT, folder: ROOT, path: '' }), 'npm exec -- footnote')
  const inside = { npmPrefix: ROOT, folder: join(ROOT, 'docs'), path: '' }
  assert.equal(commandSpelling(inside), 'npm exec -- footnote')
})

test('npm exec is never suggested where npm would find another package of that name', () => {
  for (const npmPrefix of [ROOT, outside, null])
    assert.equal(commandSpelling({ npmPrefix, folder: outside, path: '' }), BY_PATH)
  assert.equal(commandSpelling({ npmPrefix: null, folder: ROOT, path: '' }), BY_PATH)
})

test('footnote is suggested by its plain name only if a shell finds this command by it', async () => {
  const [ours, npms, strangers] = ['ours', join('node_modules', '.bin'), 'strangers'].map(name =>
    join(outside, name),
  )
  for (const folder of [ours, npms, strangers]) await mkdir(folder ?? '', { recursive: true })
  for (const folder of [ours, npms])
    await symlink(join(ROOT, 'bin/footnote.js'), join(folder ?? '', 'footnote'))
  await writeFile(join(strangers ?? '', 'footnote'), '')
  const spelling = (...path: (string | undefined)[]) =>
    commandSpelling({ npmPrefix: null, folder: ROOT, path: path.join(delimiter) })
  assert.equal(spelling('/nowhere', ours), 'footnote')
  assert.equal(spelling(strangers, npms), BY_PATH)
})

test('commands are rewritten, but names, paths and URLs are not', () => {
  const spelled = (text: string) => withSpelling(text, 'npm exec -- footnote')
  assert.equal(
    spelled('A=1 footnote mcp (footnote --help)'),
    'A=1 npm exec -- footnote mcp (npm exec -- footnote --help)',
  )
  assert.equal(spelled('footnote COMMAND --help'), 'npm exec -- footnote COMMAND --help')
  for (const text of [
    '--name footnote',
    'postgres://localhost/footnote now',
    'footnote.json',
    '~/.footnote is',
    '--client "footnote tour"',
  ])
    assert.equal(spelled(text), text)
})

test('commands name a data folder, also one whose name looks like a command, but not to ask for help', () => {
  const named = (text: string, folder: string) =>
    withSpelling(text, 'npm exec -- footnote', ['--data-dir', folder])
  assert.equal(
    named('Run footnote watch add FOLDER.', '/srv/notes'),
    'Run npm exec -- footnote --data-dir /srv/notes watch add FOLDER.',
  )
  assert.equal(
    named('footnote import PATH', '/srv/my footnote data/$&'),
    'npm exec -- footnote --data-dir "/srv/my footnote data/$&" import PATH',
  )
  assert.equal(named('footnote grant create --help', '/srv'), 'npm exec -- footnote grant create --help')
})
