import assert from 'node:assert/strict'
import { onEachEngine, TestServer, writable } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const WINDOW = '/v1/streams/messages/records/m1/field-window'

onEachEngine('RS-2 RS-4 a field window shows only what is granted, and reads no more', async engine => {
  await using server = await TestServer.start(engine)
  const work = await server.connect(MAILBOX, 'Work')
  const home = await server.connect(MAILBOX, 'Home')
  const body = 'Grüße 👋🏽 aus Köln. '.repeat(5_000)
  for (const connection of [work, home]) {
    const outcome = await server.ingest('messages', connection, [
      message('m1', { body, secret: 'x'.repeat(20_000) }),
    ])
    assert.deepEqual([outcome.status, outcome.body.added], [200, 1], JSON.stringify(outcome.body))
  }
  const token = await server.grant({ connections: [work], streams: ['messages'], fields: ['id', 'body'] })
  const database = writable(server.store)
  let pieces = 0
  for (const name of ['all', 'get'] as const) {
    const read = database[name].bind(database)
    database[name] = ((sql: string, params: []) => {
      if (/\bpieces\b/.test(sql)) pieces++
      return read(sql, params)
    }) as never
  }

  const window = await server.json(`${WINDOW}?field=body&offset_chars=50000&limit_chars=20`, { token })
  assert.equal(window.status, 200, JSON.stringify(window.body))
  assert.equal(window.body.window.text, Array.from(body).slice(50_000, 50_020).join(''))
  assert.equal(window.body.connection_id, work)
  assert.equal(window.body.field.size_chars, Array.from(body).length)
  assert.ok(pieces > 0)
  pieces = 0

  const refused = async (path: string) => {
    const answer = await server.json(path, { token })
    return [answer.status, answer.body.error.code]
  }
  assert.deepEqual(await refused(`${WINDOW}?field=secret`), [403, 'field_not_granted'])
  assert.deepEqual(await refused(`${WINDOW}?field=/secret`), [403, 'field_not_granted'])
  assert.deepEqual(await refused(`${WINDOW}?field=nothing`), [403, 'field_not_granted'])
  assert.deepEqual(await refused(`${WINDOW}?field=body&connection_id=${home}`), [404, 'connection_not_found'])
  assert.deepEqual(await refused('/v1/streams/notes/records/m1/field-window?field=text'), [
    403,
    'grant_stream_not_allowed',
  ])
  assert.deepEqual(await refused('/v1/streams/messages/records/m2/field-window?field=body'), [
    404,
    'not_found',
  ])

  const late = await server.grant({ connections: [work], since: '2026-02-01' })
  const outside = await server.json(`${WINDOW}?field=body`, { token: late })
  assert.deepEqual([outside.status, outside.body.error.code], [404, 'not_found'])
  const other = await server.grant({ connections: [work], records: ['messages:m2'] })
  assert.equal((await server.json(`${WINDOW}?field=body`, { token: other })).status, 404)
  assert.equal(pieces, 0)
  assert.deepEqual(server.failures, [])
})
