import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validatorOf } from '../src/model/declaration/schema.ts'
import { keyOf } from '../src/model/text/words.ts'
import { RateLimit } from '../src/origin/rate-limit.ts'
import { createClientToken } from '../src/store/access/tokens.ts'
import { TestServer, writable } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

/** More than any cache of tokens or grants keeps. */
const TOKENS = 1_005

test('RS-2 grants are enforced even with more tokens and grants than are kept in memory', async () => {
  await using server = await TestServer.start('sqlite')
  const connection_id = await server.connect(MAILBOX)
  await server.ingest('messages', connection_id, [message('m1', { secret: 'hush' })])
  const narrow = await server.grant({ fields: ['id'] })
  const wide = await server.grant()
  const database = writable(server.store)
  const { owner_id } = server.store
  const rows = await database.all<{ grant_id: string }>('SELECT grant_id FROM grants')
  const grant_ids = rows.map(({ grant_id }) => grant_id)
  assert.equal(grant_ids.length, 2)
  const tokens: string[] = []
  for (let n = 0; n < TOKENS; n++) {
    const grant_id = grant_ids[n % 2] ?? ''
    tokens.push(await createClientToken(database, { owner_id, grant_ids: [grant_id], now: '2026-01-01' }))
  }
  const fieldsOf = async (token: string) => {
    const { status, body } = await server.json('/v1/streams/messages/records/m1', { token })
    return status === 200 ? Object.keys(body.data).length : body.error.code
  }
  const expected = [await fieldsOf(narrow), await fieldsOf(wide)].sort()
  assert.equal(expected[0], 1)
  const first = await fieldsOf(tokens[0] ?? '')
  const seen = new Set()
  for (const [n, token] of tokens.entries()) {
    const fields = await fieldsOf(token)
    assert.equal(fields === first, n % 2 === 0)
    seen.add(fields)
  }
  assert.deepEqual([...seen].sort(), expected)
  assert.equal(await fieldsOf(tokens[0] ?? ''), first, 'a token that was forgotten works as before')
  for (const grant_id of grant_ids) {
    await server.request(`/v1/owner/grants/${grant_id}`, { method: 'DELETE' })
  }
  for (const token of [tokens[0], tokens.at(-1), narrow, wide])
    assert.equal(await fieldsOf(token ?? ''), 'grant_revoked')
  assert.deepEqual(server.failures, [])
})

test('more callers than the rate limit remembers are each limited', () => {
  const limit = new RateLimit('test', { perSecond: 1, burst: 1 })
  const now = new Date('2026-01-01T00:00:00Z')
  for (let n = 0; n < 10_050; n++) limit.take(`caller ${n}`, now)
  for (const n of [10_000, 10_049])
    assert.throws(() => limit.take(`caller ${n}`, now), { code: 'rate_limit_exceeded' })
})

test('more schemas than are kept compiled are each checked', () => {
  const schemas = Array.from({ length: 105 }, (_, n) => ({ type: 'object', required: [`field${n}`] }))
  for (const [n, schema] of [...schemas.entries(), ...schemas.slice(0, 2).entries()]) {
    assert.equal(validatorOf(schema)({ [`field${n}`]: 1 }), null)
    assert.match(validatorOf(schema)({}) ?? '', new RegExp(`field${n}`))
  }
})

test('more words than are remembered keep their keys', () => {
  const words = ['running', 'Häuser', 'cafés']
  const before = words.map(keyOf)
  for (let n = 0; n < 100_010; n++) keyOf(`word${n}`)
  assert.deepEqual(words.map(keyOf), before)
})
