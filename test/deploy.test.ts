import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SETTINGS } from '../src/cli/settings.ts'
import { ROUTES } from '../src/resource-server/routes.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const inFolder = (folder: string) => readdirSync(join(ROOT, folder)).map(name => `${folder}/${name}`)

test('files and guides for running it name settings that exist', () => {
  const known = [...SETTINGS.map(({ env }) => env), 'FOOTNOTE_SYNC_PASSWORD']
  const named = ['Dockerfile', ...inFolder('deploy'), ...inFolder('docs/how-to')].flatMap(path =>
    (read(path).match(/\bFOOTNOTE_[A-Z_]+/g) ?? []).map(name => `${path}: ${name}`),
  )
  assert.ok(named.length > 20)
  assert.deepEqual(
    named.filter(place => !known.includes(place.split(': ')[1] ?? '')),
    [],
  )
})

test('health checks use routes that exist', () => {
  const paths: string[] = ROUTES.map(({ path }) => path)
  const asked = ['Dockerfile', 'deploy/haproxy.cfg'].map(
    path => /\/(?:health|ready)z\b/.exec(read(path))?.[0],
  )
  assert.deepEqual(asked, ['/healthz', '/readyz'])
  for (const path of asked) assert.ok(paths.includes(path ?? ''))
})

test('the image contains the same files as the package, and nothing needs root', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  const dockerfile = read('Dockerfile')
  for (const file of files) assert.match(dockerfile, new RegExp(`/build/${file.replace('.', '\\.')}\\b`))
  assert.match(dockerfile, /^USER node$/m)
  const ignored = read('.dockerignore').split('\n')
  for (const file of files.filter(name => name !== 'dist')) assert.ok(ignored.includes(`!${file}`), file)
  for (const unit of ['deploy/footnote.service', 'deploy/footnote@.service']) {
    assert.match(read(unit), /^User=footnote$/m)
    assert.match(read(unit), /^NoNewPrivileges=yes$/m)
  }
})
