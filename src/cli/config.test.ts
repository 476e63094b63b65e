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

test('an invalid value is refused with the flag, what it accepts and an example', () => {
  withHome(HOME => {
    const refusals = [
      ['database-url', 'mysql://x', '--database-url must be a postgres:// address.'],
      ['public-url', 'https://a.example/b', '--public-url must be an origin without a path.'],
      ['port', '70000', '--port must be a whole number from 0 to 65535.'],
      ['rate-limit', '-1', '--rate-limit must be a whole number from 0 to 1000000.'],
      ['cursor-ttl', '1.5', '--cursor-ttl must be a whole number from 0 to 31536000.'],
      ['log', 'xml', '--log must be text or json.'],
      ['client-documents', 'yes', '--client-documents must be on or off.'],
      ['time-zone', 'Mars', '--time-zone must be an IANA name.'],
      ['metrics-token', 'short', '--metrics-token must be 16 to 200 ASCII characters without spaces.'],
      [
        'trusted-proxies',
        '127.0.0.1,proxy',
        '--trusted-proxies must be a comma-separated list of addresses or networks.',
      ],
      [
        'allowed-origins',
        'https://chat.example/',
        '--allowed-origins must be a comma-separated list of origins, each exactly as a browser sends it.',
      ],
    ] as const
    for (const [name, value, message] of refusals)
      assert.throws(
        () => readConfig({ [name]: value }, { HOME }),
        error => error instanceof UsageError && error.message === message && error.hint !== '',
      )
  })
})

test('0 turns a limit off, and lists are separated by commas', () => {
  withHome(HOME => {
    const { rateLimit, addressLimit } = readConfig({}, { HOME })
    assert.deepEqual([rateLimit, addressLimit], [{ perSecond: 100, burst: 500 }, 20])
    const off = readConfig({ 'rate-limit': '0', 'address-limit': '0' }, { HOME })
    assert.deepEqual([off.rateLimit, off.addressLimit], [null, null])
    const least = readConfig({ 'rate-limit': '5', 'rate-burst': '0' }, { HOME })
    assert.deepEqual(least.rateLimit, { perSecond: 5, burst: 1 })
    const listed = readConfig({ 'trusted-proxies': '127.0.0.1, 10.0.0.0/8,' }, { HOME })
    assert.deepEqual(listed.trustedProxies, ['127.0.0.1', '10.0.0.0/8'])
  })
})
