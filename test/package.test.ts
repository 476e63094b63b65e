import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { PROVING } from './limits.ts'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** The packages without development dependencies, as in an install of the package itself. */
async function installedAlone(modules: string): Promise<void> {
  const { stdout } = await run('npm', ['ls', '--all', '--parseable', '--omit=dev'], { cwd: ROOT })
  const names = stdout
    .split('\n')
    .map(path => relative(join(ROOT, 'node_modules'), path))
    .filter(name => name !== '' && !name.startsWith('..') && !name.includes('node_modules'))
  assert.ok(names.includes('hono') && !names.includes('typescript'))
  for (const name of names) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), join(modules, name), 'dir')
  }
}

const CONTENTS = ['LICENSE', 'README.md', 'bin', 'dist', 'docs', 'package.json', 'samples']

test('the package contains what an install needs, and nothing else', async () => {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [{ files }] = JSON.parse((await run('npm', pack, { cwd: ROOT })).stdout)
  const parts = files.map(({ path }: { path: string }) => path.split('/')[0])
  assert.deepEqual([...new Set(['dist', ...parts])].sort(), CONTENTS)
})

// Compiling, packing and installing is slow.
const proving = PROVING ? test : () => {}
proving('the packed package installs and runs: version, serve, a read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'footnote-package-'))
  try {
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT })
    const [tarball = ''] = await readdir(folder)
    const modules = join(folder, 'node_modules')
    const place = join(modules, 'footnote-server')
    await mkdir(place, { recursive: true })
    await run('tar', ['-xzf', join(folder, tarball), '-C', place, '--strip-components=1'])
    assert.deepEqual((await readdir(place)).sort(), CONTENTS)
    await installedAlone(modules)

    const bin = join(place, 'bin', 'footnote.js')
    const env = { PATH: process.env.PATH, HOME: folder }
    const footnote = (...args: string[]) => run(process.execPath, [bin, ...args], { env, cwd: folder })
    assert.match((await footnote('version')).stdout, /^\d+\.\d+\.\d+\n$/)
    const server = spawn(process.execPath, [bin, 'serve', '--port', '0'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    try {
      const url = await addressOf(server.stderr)
      assert.equal((await fetch(`${url}/healthz`)).status, 200)
      const { object, streams } = JSON.parse((await footnote('schema', '--json')).stdout)
      assert.deepEqual([object, streams], ['schema', []])
    } finally {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      assert.deepEqual(await ended, [0, null])
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('npm install -g . puts footnote on the PATH, and its hints say so', async () => {
  const prefix = await mkdtemp(join(tmpdir(), 'footnote-global-'))
  try {
    await run('npm', ['install', '-g', '.', '--prefix', prefix, '--offline'], { cwd: ROOT })
    const bin = process.platform === 'win32' ? prefix : join(prefix, 'bin')
    const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, HOME: prefix }
    const footnote = (...args: string[]) => run('footnote', args, { env, cwd: prefix })
    assert.match((await footnote('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
    assert.match((await footnote('help', 'import')).stdout, /^Usage: footnote import PATH/m)
    const failed = await footnote('owner-tokens').catch(error => error)
    assert.equal(
      failed.stderr,
      'Error: Unknown command "owner-tokens". Did you mean owner-token?\nTry: footnote --help\n',
    )
    await footnote('samples', 'import')
    assert.match((await footnote('owner-token')).stdout, /^fno_/)
  } finally {
    await rm(prefix, { recursive: true, force: true })
  }
})

async function addressOf(said: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: said })) {
    const url = /http:\/\/[\d.:]+/.exec(line)?.[0]
    if (url) {
      said.resume()
      return url
    }
  }
  return assert.fail('the server did not start')
}

interface LockedPackage {
  engines?: { node?: string }
  optional?: boolean
}

/**
 * Whether a range of versions includes Node 20, the oldest version whose npm can install the Node that Footnote
 * needs.
 */
function allowsNode20(range: string): boolean {
  return range.split('||').some(part => {
    const [, operator, major] = /^\s*(>=?|[\^~])?\s*v?(\d+|\*)/.exec(part) ?? []
    if (major === '*') return true
    return operator?.startsWith('>') ? Number(major) <= 20 : Number(major) === 20
  })
}

test('npm on Node 20 has no warning about a package that asks for a newer Node', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const packages = Object.entries<LockedPackage>(lock.packages)
  assert.ok(packages.length > 100)
  const newer = packages.filter(
    ([, { engines, optional }]) => !optional && !allowsNode20(engines?.node ?? '*'),
  )
  assert.deepEqual(
    newer.map(([path, { engines }]) => `${path} ${engines?.node}`),
    [],
  )
  assert.deepEqual(['>=22.19.0', '^22.17.0 || >=24.0.0', '>=20.11', '^18 || ^20.3'].map(allowsNode20), [
    false,
    false,
    true,
    true,
  ])
})
