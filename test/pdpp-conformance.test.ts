import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { rowOutcomes, runChecks } from '../conformance/check.ts'
import { CHECKS } from '../conformance/checks.ts'
import { ROWS } from '../conformance/rows.ts'
import { Scratch } from '../conformance/scratch.ts'
import { Target } from '../conformance/target.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { BREAKAGES, broken } from './broken-server.ts'
import { type Engine, onEachEngine } from './engines.ts'

const SUITE = join(import.meta.dirname, '../conformance')

/** A server with the source of the suite, and a client to whom the owner has granted all of it. */
async function startTarget(engine: Engine): Promise<AsyncDisposable & { target: Target }> {
  const world = await AuthorizationWorld.start(engine)
  const asOwner = { url: world.url, token: null, ownerToken: world.ownerToken, clientId: null }
  const scratch = await Scratch.make(new Target(asOwner))
  assert.ok(scratch)
  const { access_token, client_id } = await world.connect(await world.signedIn())
  const target = new Target({ ...asOwner, token: access_token, clientId: client_id })
  target.scratch = scratch.seenBy(target)
  return {
    target,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      assert.deepEqual(world.failures, [])
    },
  }
}

onEachEngine('PDPP conformance: Footnote breaks no rule that the suite can check', async engine => {
  await using started = await startTarget(engine)
  const outcomes = await runChecks(CHECKS, started.target)
  const failed = rowOutcomes(outcomes).filter(({ state }) => state === 'fail')
  assert.deepEqual(
    failed.map(({ id, reason }) => `${id}: ${reason}`),
    [],
  )
  const unseen = outcomes.filter(({ state }) => state === 'not seen').flatMap(({ check }) => check.rows)
  assert.deepEqual(unseen, [], 'every check sees something')
})

test('PDPP conformance: a request that comes too early is repeated when the server says', async () => {
  const waits = ['0', '0', null]
  let asked = 0
  const send = async () => {
    const wait = waits[asked++] ?? null
    return wait === null
      ? Response.json({})
      : new Response('', { status: 429, headers: { 'Retry-After': wait } })
  }
  const target = new Target({
    url: 'http://server.example',
    token: null,
    ownerToken: null,
    clientId: null,
    send,
  })
  assert.deepEqual([(await target.request('/v1/streams', null)).status, asked], [200, 3])
  waits.splice(0, waits.length, ...Array(9).fill('0'))
  asked = 0
  assert.deepEqual([(await target.request('/v1/streams', null)).status, asked], [429, 4], 'but not for ever')
})

test('PDPP conformance: each check fails on a server that breaks its rule', async () => {
  await using started = await startTarget('sqlite')
  const { given, scratch } = started.target
  assert.deepEqual(Object.keys(BREAKAGES), [...new Set(CHECKS.map(({ title }) => title))])
  for (const check of CHECKS) {
    const breakage = BREAKAGES[check.title]
    assert.ok(breakage)
    const target = new Target({ ...given, send: broken(breakage) })
    target.scratch = scratch?.seenBy(target) ?? null
    const [outcome] = await runChecks([check], target)
    assert.equal(outcome?.state, 'fail', `${check.title}: ${outcome?.reason}`)
    assert.doesNotMatch(outcome.reason ?? '', /cannot be read/, check.title)
  }
})

test('PDPP conformance: rows and checks are in order', () => {
  assert.deepEqual(
    ROWS.map(row => row.id),
    Array.from({ length: 108 }, (_, index) => `PC-${index + 1}`),
  )
  const titles = CHECKS.map(({ title }) => title)
  assert.deepEqual(titles, [...new Set(titles)])
  const known = new Set(ROWS.map(row => row.id))
  assert.deepEqual(
    CHECKS.flatMap(({ rows }) => rows.filter(row => !known.has(row))),
    [],
  )
})

/** Runs the command as a user does. */
function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [join(SUITE, 'main.ts'), ...args]
  return new Promise(resolve =>
    execFile(process.execPath, command, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  )
}

test('PDPP conformance: the command prints a table or JSON, and its exit code says whether a row failed', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = ['--url', world.url, '--owner-token', world.ownerToken, '--write']
  const made = await run(...owner, '--json')
  assert.deepEqual([made.code, made.stderr], [0, ''])
  const { rows } = JSON.parse(made.stdout)
  assert.equal(rows.length, ROWS.length)
  assert.ok(rows.filter(({ state }: { state: string }) => state === 'pass').length > 50)
  const { body } = await world.call('/v1/owner/connections')
  assert.deepEqual(body.data, [], 'it cleans up')
  const blind = await run('--url', world.url, '--token', 'unknown')
  assert.equal(blind.code, 1)
  assert.match(blind.stdout, /^PC-13 +M {2}not seen/m)
  assert.match(blind.stdout, /^108 rows: \d+ pass, \d+ fail, \d+ not seen$/m)
  for (const args of [[], ['--url', world.url], ['--url', world.url, '--write'], ['--nonsense']]) {
    const { code, stderr } = await run(...args)
    assert.equal(code, 2)
    assert.match(stderr, /^Usage:/)
  }
  assert.equal((await run('--url', 'http://127.0.0.1:1', '--token', 'x')).code, 2)
})

test('PDPP conformance: the suite imports only Node and itself', () => {
  const files = readdirSync(SUITE, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))
  const foreign = files.flatMap(file =>
    [...readFileSync(join(SUITE, file), 'utf8').matchAll(/from '([^']+)'/g)]
      .map(match => match[1] ?? '')
      .filter(name => !name.startsWith('node:'))
      .filter(name => !join('/suite', file, '..', name).startsWith('/suite/'))
      .map(name => `${file}: ${name}`),
  )
  assert.deepEqual(foreign, [])
})
