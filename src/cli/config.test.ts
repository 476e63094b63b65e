import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { UsageError } from './terminal/exit-errors.ts'

function withHome(work: (home: string, put: (path: string, settings: unknown) => string) => void): void {
  const home = mkdtempSync(join(tmpdir(), 'footnote-config-'))
  try {
    work(home, (path, settings) => {
      mkdirSync(join(home, path, '..'), { recursive: true })
      writeFileSync(join(home, path), typeof settings === 'string' ? settings : JSON.stringify(settings))
      return join(home, path)
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

test('a flag overrides a variable, a variable the file, and the file the default', () => {
  withHome((HOME, put) => {
    assert.equal(readConfig({}, { HOME }).port, 7007)
    put('.footnote/footnote.json', { port: 1001, 'public-url': 'https://file.example', host: '' })
    assert.equal(readConfig({}, { HOME }).port, 1001)
    assert.equal(readConfig({}, { HOME }).host, '127.0.0.1', 'an empty value counts as none')
    assert.equal(readConfig({}, { HOME }).publicUrl, 'https://file.example')
    assert.equal(readConfig({}, { HOME, FOOTNOTE_PORT: '1002' }).port, 1002)
    assert.equal(readConfig({ port: '1003' }, { HOME, FOOTNOTE_PORT: '1002' }).port, 1003)
  })
})

test('the settings file is the one in the data folder, or the one named', () => {
  withHome((HOME, put) => {
    put('elsewhere/footnote.json', { port: '1004' })
    assert.equal(readConfig({ 'data-dir': join(HOME, 'elsewhere') }, { HOME }).port, 1004)
    const named = put('my.json', { 'data-dir': join(HOME, 'data'), 'database-url': 'postgres://localhost/x' })
    assert.deepEqual(readConfig({ config: named }, { HOME }).location, {
      engine: 'postgres',
      url: 'postgres://localhost/x',
      directory: join(HOME, 'data'),
    })
    const folder = put('your.json', { 'data-dir': join(HOME, 'data') })
    const { location } = readConfig({}, { HOME, FOOTNOTE_CONFIG: folder })
    assert.deepEqual(location, { engine: 'sqlite', directory: join(HOME, 'data') })
  })
})

test('a file that cannot be used is refused with what to do', () => {
  withHome((HOME, put) => {
    const refused = (flags: object, reason: RegExp) =>
      assert.throws(
        () => readConfig({ ...flags }, { HOME }),
        error => error instanceof UsageError && reason.test(error.message),
      )
    refused({ config: join(HOME, 'missing.json') }, /cannot be read \(ENOENT\)/)
    refused({ config: put('broken.json', '{') }, /is not a JSON object/)
    refused({ config: put('list.json', []) }, /is not a JSON object/)
    refused({ config: put('typo.json', { prot: 1 }) }, /unknown setting, "prot"/)
    refused({ config: put('deep.json', { port: [1] }) }, /port is neither a text nor a number/)
    refused({ config: put('bad.json', { port: 'x' }) }, /--port must be a whole number/)
    refused({ config: put('self.json', { config: 'x' }) }, /unknown setting, "config"/)
    put('.footnote/footnote.json', { 'data-dir': '/tmp' })
    refused({}, /unknown setting, "data-dir"/)
  })
})
