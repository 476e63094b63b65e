import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const BIN = join(import.meta.dirname, '..', 'bin/footnote.js')
/** Makes each started program print its process id, its flags and its allocator settings. */
const PRINTS_START = `data:text/javascript,console.error(JSON.stringify([
  process.pid, process.execArgv.filter(flag => /^--(max|heap)-/.test(flag)), ...['TRIM_THRESHOLD_', 'ARENA_MAX', 'MMAP_THRESHOLD_'].map(name => process.env['MALLOC_' + name])]))`
const ON_LINUX = { skip: process.platform !== 'linux' && 'the settings are those of Linux' }

/** What each started process printed. The command only prints its help. */
function starts(command: string, env: Record<string, string>): unknown[][] {
  const args = ['--import', PRINTS_START.replaceAll('\n', ''), BIN, command, '--help']
  const shell = ['-c', '"$0" "$@" 2>&1 >/dev/null', process.execPath, ...args]
  const { MALLOC_TRIM_THRESHOLD_, MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_, ...rest } = process.env
  const told = execFileSync('sh', shell, { encoding: 'utf8', env: { ...rest, ...env } })
  return told
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

test(
  'a server starts again once, as the same process, with less room for young objects and for freed memory',
  ON_LINUX,
  () => {
    const told = starts('serve', {})
    assert.equal(told.length, 2)
    assert.equal(told[1]?.[0], told[0]?.[0])
    const flags = ['--max-semi-space-size=8', '--heap-growing-percent=25']
    assert.deepEqual(told[1]?.slice(1), [flags, '131072', '2', '65536'])
  },
)

test('a server whose allocator was set by a person keeps what was set', ON_LINUX, () => {
  const told = starts('serve', { MALLOC_ARENA_MAX: '8' })
  assert.deepEqual(
    told.map(start => start.slice(1)),
    [[[], null, '8', null]],
  )
})

test('a command that serves nothing is started once', ON_LINUX, () => {
  assert.equal(starts('search', {}).length, 1)
})
