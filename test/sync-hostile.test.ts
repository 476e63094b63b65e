import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer as createHttp } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createServer as createTls } from 'node:tls'
import { CodedError } from '../src/model/errors.ts'
import { addressText, readAddress } from '../src/sync/address.ts'
import { KnownMessages } from '../src/sync/known-messages.ts'
import { loginOf, oauthSecret } from '../src/sync/login.ts'
import { type Login, MailAccount } from '../src/sync/mail-account.ts'
import { mailEvents } from '../src/sync/mail-events.ts'
import { SYNC_KEY_FILE, seal, unseal } from '../src/sync/sealed-secret.ts'
import { PASSWORD } from './dovecot.ts'
import { FakeImap } from './fake-imap.ts'
import { freePort } from './free-port.ts'
import { mail } from './sync-place.ts'

const MIB = 1024 * 1024
const PATIENCE = { connectMs: 60_000, answerMs: 60_000, idleBytes: 2 * MIB }
const OPTIONS = { patience: PATIENCE }
const INBOX = { no: 1, path: 'INBOX', uid_validity: '1', uid_next: 2, messages: 1, modseq: null }
const LOGIN: Login = { user: 'ada', pass: PASSWORD }

function opened(port: number, text = `imap://ada@127.0.0.1:${port}`): Promise<MailAccount> {
  return MailAccount.open(readAddress(text, false), LOGIN, OPTIONS)
}

/** The code and the message of a failure. */
async function failure(work: Promise<unknown>): Promise<[string, string]> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof CodedError, String(error))
  assert.equal(error.message.includes(PASSWORD), false)
  return [error.code, error.message]
}

/** The result of a sync during which the server sends other answers. */
async function interrupted(at: RegExp, say: (tag: string, socket: Socket) => void): Promise<string> {
  await using server = await new FakeImap(PASSWORD).start()
  server.folders.set('INBOX', { validity: 1, messages: [{ uid: 1, text: mail(1), flags: [] }] })
  server.interfere = (command, tag, socket) => {
    if (!at.test(command)) return false
    say(tag, socket)
    return true
  }
  const [code, message] = await failure(
    (async () => {
      await using account = await opened(server.port)
      await account.folders()
      await account.examine('INBOX')
      for await (const _ of account.facts('1:*', { uid: true, flags: true }, 1));
      for await (const _ of mailEvents(account, INBOX, [1], new KnownMessages([INBOX])));
      for await (const _ of account.large(1, MIB));
    })(),
  )
  assert.equal(code, 'mail_server_failed', message)
  return message
}

test('an unreachable server and a refused password are reported differently', async () => {
  const [code, message] = await failure(opened(await freePort()))
  assert.deepEqual([code, /Nothing answers/.test(message)], ['mail_server_unreachable', true])
  // A name that is too long is refused without a DNS lookup.
  const [unknown] = await failure(opened(0, `imap://ada@${'a'.repeat(64)}.invalid`))
  assert.equal(unknown, 'mail_server_unreachable')
  await using server = await new FakeImap('another').start()
  const [refused, reason] = await failure(opened(server.port))
  assert.deepEqual([refused, /Invalid credentials/.test(reason)], ['mail_sign_in_refused', true])
})

test('an untrusted certificate and a server without TLS are refused', async () => {
  const pem = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', 'tls', name))
  const server = createTls({ key: pem('key.pem'), cert: pem('certificate.pem') }, socket => socket.end())
  server.on('tlsClientError', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const tls = { ...readAddress(`imap://ada@127.0.0.1:${port}`, false), security: 'tls' as const }
  assert.equal((await failure(MailAccount.open(tls, LOGIN, OPTIONS)))[0], 'mail_server_untrusted')
  await new Promise(resolve => server.close(resolve))
  await using plain = await new FakeImap(PASSWORD).start()
  for (const security of ['tls', 'starttls'] as const) {
    const address = { ...readAddress(`imap://ada@127.0.0.1:${plain.port}`, false), security }
    assert.equal((await failure(MailAccount.open(address, LOGIN, OPTIONS)))[0], 'mail_server_untrusted')
  }
  assert.deepEqual(
    plain.said.filter(line => line.startsWith('LOGIN')),
    [],
  )
})

test('a hostile server is bounded: huge literals, endless lines, endless answers and malformed data', async () => {
  const huge = await interrupted(/^UID FETCH 1 .*BODY/, (_, socket) => {
    socket.write('* 1 FETCH (UID 1 BODY[]<0> {99999999999}\r\n')
  })
  assert.match(huge, /too large/)
  const line = Buffer.alloc(MIB, 'x')
  const pour = (head: string, tail: string) => (_: string, socket: Socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.concat([Buffer.from(head), line, Buffer.from(tail)])));
    }
    socket.on('drain', more)
    more()
  }
  assert.match(await interrupted(/^LIST "" "\*"/, pour('', '')), /too large|nobody asked/)
  assert.match(await interrupted(/^EXAMINE/, pour('* OK ', '\r\n')), /nobody asked/)
  assert.match(
    await interrupted(/^UID FETCH 1:\*/, (_, socket) => {
      const rows = Array.from({ length: 1_100 }, (_, no) => `* ${no + 1} FETCH (UID ${no + 1} FLAGS ())\r\n`)
      socket.write(rows.join(''))
    }),
    /nobody asked/,
  )
  const source = Buffer.concat([
    Buffer.from(`* 1 FETCH (UID 1 BODY[] {${17 * MIB}}\r\n`),
    Buffer.alloc(17 * MIB, 'x'),
  ])
  assert.match(
    await interrupted(/^UID FETCH 1 \(UID BODY.PEEK\[\]\)/, (_, socket) =>
      socket.write(Buffer.concat([source, Buffer.from(')\r\n')])),
    ),
    /nobody asked/,
  )
  await interrupted(/^EXAMINE/, (_, socket) => {
    socket.write(`${'('.repeat(100)}\u0000\u0001 {x}\r\n* nonsense ${'('.repeat(1_000)}\r\n`)
    socket.end()
  })
  await interrupted(/^UID FETCH 1:\*/, (_, socket) => socket.destroy())
})

test('stopping ends the wait for a silent server immediately', async () => {
  await using server = await new FakeImap(PASSWORD).start()
  const stop = new AbortController()
  server.interfere = command => {
    if (command.startsWith('LIST')) stop.abort()
    return command.startsWith('LIST')
  }
  const address = readAddress(`imap://ada@127.0.0.1:${server.port}`, false)
  const options = { stop: stop.signal, patience: { ...PATIENCE, answerMs: 3_600_000 } }
  const [, message] = await failure(
    MailAccount.open(address, LOGIN, options).then(account => account.folders()),
  )
  assert.match(message, /stopped/)
})

test('addresses: encrypted unless it is this computer, never with a password', () => {
  const read = (text: string, plain = false) => {
    const address = readAddress(text, plain)
    return `${addressText(address)} ${address.security}`
  }
  assert.equal(read('imap://ada@imap.example.org'), 'imap://ada@imap.example.org:993 tls')
  assert.equal(read('imaps://ada@imap.example.org:1993/'), 'imap://ada@imap.example.org:1993 tls')
  assert.equal(
    read('imap://ada@example.org@imap.example.org'),
    'imap://ada%40example.org@imap.example.org:993 tls',
  )
  assert.equal(read('imap://ada@imap.example.org:143'), 'imap://ada@imap.example.org:143 starttls')
  assert.equal(read('imap://ada@imap.example.org', true), 'imap://ada@imap.example.org:143 plain')
  assert.equal(
    read('imap://ada@127.0.0.1:1143/Old%20mail/2024'),
    'imap://ada@127.0.0.1:1143/Old%20mail/2024 plain',
  )
  assert.equal(read('imap://ada@[::1]:1143'), 'imap://ada@[::1]:1143 plain')
  for (const wrong of [
    'ada@example.org',
    'https://ada@x',
    'imap://imap.example.org',
    'imap://ada:hush@x',
    '',
  ])
    assert.throws(
      () => read(wrong),
      (error: Error) => error instanceof CodedError && !error.message.includes('hush'),
    )
})

test('a password is sealed with a key outside the database, and only that key opens it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'footnote-seal-'))
  try {
    const sealed = seal(folder, PASSWORD)
    assert.equal(sealed.includes(PASSWORD), false)
    assert.notEqual(seal(folder, PASSWORD), sealed)
    assert.equal(unseal(folder, sealed), PASSWORD)
    assert.equal((await stat(join(folder, SYNC_KEY_FILE))).mode & 0o777, 0o600)
    const unreadable = (text: string) =>
      assert.throws(() => unseal(folder, text), { code: 'sync_secret_unreadable' })
    unreadable(`${sealed.slice(0, -2)}AA`)
    unreadable('v2.x')
    await writeFile(join(folder, SYNC_KEY_FILE), Buffer.alloc(32).toString('base64url'))
    unreadable(sealed)
    await writeFile(join(folder, SYNC_KEY_FILE), 'short')
    assert.throws(() => seal(folder, PASSWORD), { code: 'sync_secret_unreadable' })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('OAuth: a refresh token is exchanged for an access token, and a new refresh token is stored', async () => {
  const asked: URLSearchParams[] = []
  const server = createHttp(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const form = new URLSearchParams(body)
    asked.push(form)
    const isKnown = form.get('refresh_token') === 'first'
    response.writeHead(isKnown ? 200 : 400, { 'Content-Type': 'application/json' })
    response.end(
      JSON.stringify(isKnown ? { access_token: 'at', refresh_token: 'second' } : { error: 'invalid_grant' }),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const given = { token_url: `http://127.0.0.1:${port}/token`, client_id: 'c', client_secret: 's' }
  const secret = (refresh_token: string) =>
    JSON.stringify(oauthSecret(JSON.stringify({ ...given, refresh_token })))
  const { signal } = new AbortController()
  const kept: string[] = []
  const renew = async (text: string) => kept.push(text)
  assert.deepEqual(await loginOf('ada', secret('first'), signal, renew), { user: 'ada', accessToken: 'at' })
  assert.equal(asked[0]?.get('grant_type'), 'refresh_token')
  assert.equal(JSON.parse(kept[0] ?? '').refresh_token, 'second')
  const [code, message] = await failure(loginOf('ada', secret('old'), signal, renew))
  assert.deepEqual([code, /invalid_grant/.test(message)], ['mail_sign_in_refused', true])
  await new Promise(resolve => server.close(resolve))
  assert.equal((await failure(loginOf('ada', secret('first'), signal, renew)))[0], 'mail_server_unreachable')
  for (const wrong of [
    '',
    '[]',
    '{}',
    JSON.stringify({ ...given, token_url: 'http://example.org', refresh_token: 'r' }),
  ])
    assert.equal(oauthSecret(wrong), null)
})
