import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../src/cli/config.ts'
import { type Log, logIn, onceEach } from '../src/cli/log.ts'
import { UsageError } from '../src/cli/terminal/exit-errors.ts'
import type { Location } from '../src/store/engine/database.ts'
import { Asking, AuthorizationWorld, Visitor } from './authorization-world.ts'
import { onEitherEngine, storeLocation, writable } from './engines.ts'
import { message } from './mailbox.ts'

const RECORD_TEXT = 'zaunkoenig'
const QUERY = 'steinadler'
const PASSPHRASE = 'a heron by the quiet water'

/** Everything that is stored, as text. */
async function stored(location: Location): Promise<string> {
  const files = readdirSync(location.directory, { recursive: true, encoding: 'utf8' })
    .map(name => join(location.directory, name))
    .filter(path => statSync(path).isFile())
  const inFiles = files.map(path => readFileSync(path, 'latin1')).join('\n')
  if (location.engine === 'sqlite') return inFiles
  const client = new pg.Client({ connectionString: location.url })
  await client.connect()
  const { rows } = await client.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
  let text = inFiles
  for (const { tablename } of rows) {
    const all = await client.query(`SELECT t::text AS line FROM "${tablename}" AS t`)
    text += all.rows.map(({ line }) => line).join('\n')
  }
  await client.end()
  return text
}

onEitherEngine(
  'logs contain no tokens, queries or record text; errors and the database contain no tokens',
  async engine => {
    const place = await storeLocation(engine)
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const [json, text] = [logIn('json', write), logIn('text', write)]
    const log: Log = {
      ...json,
      failure(error, request_id) {
        json.failure(error, request_id)
        text.failure(error, request_id)
      },
    }
    const secrets: string[] = []
    const errors: string[] = []
    let failed = ''
    {
      await using world = await AuthorizationWorld.start(engine, {
        place: { ...place, remove: async () => {} },
        log,
      })
      const connection = await world.mailbox('Mail', ['m1'])
      const put = (id: string, body: string) =>
        world.call(`/v1/ingest/messages?connection_id=${connection}`, world.ownerToken, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-ndjson' },
          body: JSON.stringify(message(id, { body })),
        })
      await put('m2', `${RECORD_TEXT} sings`)
      const owner = new Visitor(world.url)
      const link = await world.signInLink()
      await owner.post('/sign-in', { link })
      await owner.submit(await owner.get('/settings'), { passphrase: PASSPHRASE })
      const { client_id, client_secret } = (
        await world.register({ token_endpoint_auth_method: 'client_secret_post' })
      ).body
      const asking = new Asking(world, client_id)
      const code = await asking.approve(owner, await asking.open(owner))
      const { access_token, refresh_token } = (await asking.redeem(code, { client_secret })).body
      const wrong = 'wrong-token-of-somebody'
      secrets.push(
        world.ownerToken,
        link,
        PASSPHRASE,
        client_secret,
        code,
        access_token,
        refresh_token,
        wrong,
      )

      const ask = async (path: string, token: string | null = access_token, init: RequestInit = {}) => {
        const answer = await world.call(path, token, init)
        if (answer.status >= 400) errors.push(JSON.stringify(answer.body))
        return answer
      }
      assert.equal((await ask(`/v1/search?q=${QUERY}`)).status, 200)
      assert.equal((await ask(`/v1/search?q=${RECORD_TEXT}`)).body.data.length, 1)
      assert.equal((await ask('/v1/schema', wrong)).status, 401)
      assert.equal((await ask(`/v1/search?q=${QUERY}&cursor=${QUERY}`)).status, 400)
      assert.equal((await ask(`/v1/streams/${QUERY}/records`)).status, 403)
      assert.equal((await ask(`/v1/streams/messages/records/${QUERY}`)).status, 404)
      assert.equal((await put('m3', 'x'.repeat(10))).status, 200)
      const database = writable(world.server.store)
      const half = `${RECORD_TEXT} ${QUERY}`
      await database.run(`UPDATE records SET data = ? WHERE record_key LIKE '%m2%'`, [half])
      const broken = await ask('/v1/streams/messages/records/m2')
      assert.equal(broken.status, 500)
      failed = broken.body.error.request_id
      const reused = await asking.redeem(code, { client_secret })
      errors.push(JSON.stringify(reused.body))
      await world.server.store.writer.kill()
    }
    const logged = lines.join('')
    assert.ok(logged.includes(failed), 'the failure is logged by its id')
    assert.match(logged, /"event":"request".*"route":"\/v1\/search","status":200/)
    assert.match(logged, /"request_id":"writer"/)
    for (const secret of [...secrets, RECORD_TEXT, QUERY])
      assert.ok(!logged.includes(secret), `${secret} is in the log`)
    for (const line of lines) assert.equal(line.indexOf('\n'), line.length - 1, 'an event is one line')
    for (const secret of [...secrets, RECORD_TEXT])
      assert.ok(!errors.join('').includes(secret), `${secret} is in an error`)

    const data = await stored(place.location)
    assert.ok(data.includes(RECORD_TEXT), 'this looks into what is stored')
    for (const secret of secrets) assert.ok(!data.includes(secret), `${secret} is stored`)
    await place.remove()
  },
)

test('a failure is logged in one line, with where it happened and without quoted data', () => {
  const failures = [
    new SyntaxError(`Unexpected token 'h', "{"a":"hush", "b" is not valid JSON`),
    new Error('invalid input syntax for type bigint: "hush"'),
    new Error('one "hush\nhush" line'),
    new Error('duplicate key value violates unique constraint "records_pkey"'),
    new Error('relation "records" has no column "hush" or "quoted hush"'),
  ]
  const json: { message: string; stack: string[] }[] = []
  const text: string[] = []
  for (const failure of failures) {
    logIn('json', line => json.push(JSON.parse(line))).failure(failure, 'req_1')
    logIn('text', line => text.push(line)).failure(failure, 'req_1')
  }
  assert.deepEqual(
    json.map(({ message }) => message),
    [
      `Unexpected token 'h', "…" is not valid JSON`,
      'invalid input syntax for type bigint: "…"',
      'one "…" line',
      'duplicate key value violates unique constraint "records_pkey"',
      'relation "records" has no column "hush" or "…"',
    ],
  )
  assert.match(json[0]?.stack[0] ?? '', /^at .*log\.test\.ts:\d+/)
  assert.match(text[2] ?? '', /^\S+Z req_1 Error: one "…" line at .*log\.test\.ts:\d+:\d+\)?\n$/)
})

test('--log accepts only text and json', () => {
  assert.equal(readConfig({}, {}).log, 'text')
  assert.equal(readConfig({ log: 'json' }, {}).log, 'json')
  assert.throws(() => readConfig({ log: 'xml' }, {}), UsageError)
})

test('serve --log json writes only objects, and no sign-in link', { timeout: 90_000 }, async () => {
  const { location, remove } = await storeLocation('sqlite')
  const main = join(import.meta.dirname, '../src/cli/main.ts')
  const settings = ['--log', 'json', '--port', '0', '--data-dir', location.directory]
  const args = ['--disable-warning=ExperimentalWarning', main, 'serve', ...settings]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  for await (const text of server.stderr.setEncoding('utf8')) {
    said += text
    // Only once, because a second signal would end the stopping server immediately.
    if (!server.killed && said.includes('"event":"started"')) server.kill('SIGTERM')
  }
  if (server.exitCode === null) await once(server, 'exit')
  const events = said
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).event)
  assert.deepEqual([events, server.exitCode], [['started', 'stopping'], 0])
  assert.doesNotMatch(said, /sign-in|link/)
  await remove()
})

test('a command logs each failure once, however many of its requests met it', () => {
  const lines: string[] = []
  const report = onceEach(logIn('text', line => lines.push(line)).failure)
  for (const words of ['The disk is full.', 'The disk is full.', 'Something else.'])
    report(new Error(words), 'req_1')
  assert.deepEqual(
    lines.map(line => /Error: ([\w ]+\.)/.exec(line)?.[1]),
    ['The disk is full.', 'Something else.'],
  )
})
