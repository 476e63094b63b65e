import assert from 'node:assert/strict'
import { type Answer, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const WINDOW = '/v1/streams/messages/records/m1/field-window'

async function serverWith(engine: Parameters<typeof TestServer.start>[0], data: Record<string, unknown>) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const { body } = await server.ingest('messages', connection, [message('m1', data)])
  assert.equal(body.added, 1, JSON.stringify(body))
  const read = (query: string, token = server.ownerToken): Promise<Answer> =>
    server.json(`${WINDOW}?${query}`, { token })
  const code = async (query: string, token = server.ownerToken) => {
    const { status, body } = await read(query, token)
    return [status, body.error?.code]
  }
  return { server, connection, read, code }
}

onEachEngine('RF-2 RF-3 selectors cannot be combined and have bounds', async engine => {
  const { server, read, code } = await serverWith(engine, { body: 'a'.repeat(20_000) })
  await using _ = server
  const cursor = (await read('field=body')).body.window.next_cursor
  const broken = [
    `cursor=${cursor}&offset_chars=1`,
    `cursor=${cursor}&q=a`,
    `cursor=${cursor}&before_chars=1`,
    `cursor=${cursor}&after_chars=1`,
    'q=a&offset_chars=0',
    'q=a&limit_chars=5',
    'before_chars=5',
    'after_chars=5',
    'offset_chars=-1',
    'limit_chars=0',
    'limit_chars=16385',
    'q=a&before_chars=8193',
    'q=a&after_chars=8193',
    'q=',
    `q=${'a'.repeat(1_001)}`,
  ]
  for (const query of broken)
    assert.deepEqual(await code(`field=body&${query}`), [400, 'invalid_window'], query)
  assert.deepEqual(await code('field=body&limit_chars=x'), [400, 'invalid_request'])
  const plain = (await read('field=body')).body.window
  assert.deepEqual([plain.start_chars, plain.end_chars, plain.limit_chars], [0, 4096, 4096])
  const around = (await read('field=body&q=a')).body.window
  assert.deepEqual([around.start_chars, around.end_chars, around.limit_chars], [0, 2049, 4096])
  assert.equal((await read('field=body&limit_chars=16384')).body.window.end_chars, 16_384)
})

onEachEngine('RF-4 q is matched literally under folding, and the window contains the match', async engine => {
  const text = `${'– pad – '.repeat(3_000)}Die STRASSE nach CAFÉ de la Gare? (50 %)${' end'.repeat(3_000)}`
  const { server, read, code } = await serverWith(engine, { body: text, subject: 'Cafe\u0301 noir' })
  await using _ = server
  const start = text.indexOf('CAFÉ de')
  const { window } = (
    await read(`field=body&q=${encodeURIComponent('cafe DE')}&before_chars=10&after_chars=20`)
  ).body
  assert.deepEqual(window.match, { q: 'cafe DE', start_chars: start, end_chars: start + 7 })
  assert.deepEqual([window.start_chars, window.end_chars, window.limit_chars], [start - 10, start + 27, 30])
  assert.equal(window.text, text.slice(start - 10, start + 27))
  const short = (await read(`field=subject&q=${encodeURIComponent('CAFÉ')}`)).body.window
  assert.deepEqual([short.match.start_chars, short.match.end_chars], [0, 5])
  assert.deepEqual(await code('field=body&q=gare?%20(51'), [404, 'query_not_found'])
  assert.equal((await read('field=body&q=gare?%20(50')).status, 200)
})

onEachEngine('RF-7 RF-9 cursors cover the field without gaps, forwards and backwards', async engine => {
  const unit = 'a👋🏽e\u0301\r\n漢'
  const text = unit.repeat(5_000)
  const points = Array.from(text)
  const { server, read } = await serverWith(engine, { body: text })
  await using _ = server
  let window = (await read('field=body&offset_chars=1000&limit_chars=7000')).body.window
  const middle = window
  let [forwards, backwards] = [window.text, '']
  while (window.next_cursor) {
    assert.match(window.next_cursor, /^[A-Za-z0-9_-]{1,64}$/)
    const next = (await read(`field=body&cursor=${window.next_cursor}`)).body.window
    assert.deepEqual([next.start_chars, next.limit_chars], [window.end_chars, 7000])
    forwards += next.text
    window = next
  }
  assert.equal(window.end_chars, points.length)
  window = middle
  while (window.previous_cursor) {
    const previous = (await read(`field=body&cursor=${window.previous_cursor}&limit_chars=300`)).body.window
    assert.equal(previous.end_chars, window.start_chars)
    backwards = previous.text + backwards
    window = previous
  }
  assert.equal(backwards + forwards, text)
  assert.ok(!middle.complete && middle.text.isWellFormed())
})

onEachEngine(
  'RF-8 LA-7 RS-3 broken, foreign, expired and stale cursors are refused, each with its own error',
  async engine => {
    const { server, connection, read, code } = await serverWith(engine, {
      body: 'b'.repeat(9_000),
      subject: 's'.repeat(9_000),
    })
    await using _ = server
    const one = await server.grant()
    const other = await server.grant()
    const { window, field } = (await read('field=body', one)).body
    const cursor: string = window.next_cursor
    assert.match(field.digest, /^sha256:[0-9a-f]{64}$/)

    const reason = async (query: string, token: string) => (await read(query, token)).body.error
    for (const bad of ['x', 'A'.repeat(54), cursor.slice(1), `${cursor}A`, cursor.slice(0, -2)]) {
      assert.deepEqual(await code(`field=body&cursor=${bad}`, one), [400, 'invalid_cursor'], bad)
    }
    assert.equal((await reason('field=body&cursor=x', one)).reason, 'malformed')
    for (const [query, token] of [
      [`field=body&cursor=${cursor}`, other],
      [`field=body&cursor=${cursor}`, server.ownerToken],
      [`field=subject&cursor=${cursor}`, one],
    ] as const) {
      const error = await reason(query, token)
      assert.deepEqual([error.code, error.reason, error.record_id], ['invalid_cursor', 'foreign', 'm1'])
    }

    server.clockOffsetMs = 25 * 3_600_000
    assert.deepEqual(await code(`field=body&cursor=${cursor}`, one), [410, 'cursor_expired'])
    server.clockOffsetMs = 0
    await server.ingest('messages', connection, [message('m1', { body: 'c'.repeat(9_000) })])
    const stale = await reason(`field=body&cursor=${cursor}`, one)
    const now = (await read('field=body', one)).body.field.digest
    assert.deepEqual([stale.code, stale.digest, stale.field_path], ['stale_cursor', now, 'body'])
    assert.notEqual(now, field.digest)
  },
)

onEachEngine(
  'RF-10 RF-11 paths lead to nested text; a value that is not text says what to do',
  async engine => {
    const long = 'z'.repeat(30_000)
    const parts = [{ text: 'nested 漢字', 'a/b~c': long }, ['deep'], 7, null, true]
    const { server, connection, read, code } = await serverWith(engine, {
      subject: '',
      size: 5,
      parts,
      body: null,
    })
    await using _ = server
    const empty = (await read('field=subject')).body
    assert.deepEqual([empty.field.size_chars, empty.window.complete, empty.window.text], [0, true, ''])
    assert.deepEqual([empty.window.next_cursor, empty.window.previous_cursor], [null, null])
    assert.equal((await read('field=/parts/0/text')).body.window.text, 'nested 漢字')
    assert.equal((await read('field=/parts/1/0')).body.window.text, 'deep')
    const nested = (await read('field=/parts/0/a~1b~0c&offset_chars=29999')).body
    assert.deepEqual(
      [nested.field.path, nested.field.size_chars, nested.window.text],
      ['/parts/0/a~1b~0c', 30_000, 'z'],
    )
    for (const [path, value] of [
      ['parts', parts],
      ['/parts/0', parts[0]],
      ['/parts/1', parts[1]],
    ] as const) {
      const json = JSON.stringify(value)
      const first = (await read(`field=${path}&limit_chars=10`)).body
      assert.deepEqual(
        [first.field.mime_type, first.field.text_like, first.field.size_chars, first.window.text],
        ['application/json', true, json.length, json.slice(0, 10)],
      )
      let [text, cursor] = [first.window.text, first.window.next_cursor]
      while (cursor !== null) {
        const { window } = (await read(`field=${path}&cursor=${cursor}&limit_chars=16384`)).body
        text += window.text
        cursor = window.next_cursor
      }
      assert.deepEqual(JSON.parse(text), value)
    }
    const deep = (await read('field=parts&q=DEEP&before_chars=2&after_chars=2')).body
    assert.equal(deep.window.text, '["deep"]')
    const large = { text: 'y'.repeat(1_000_001) }
    await server.ingest('messages', connection, [message('large', { parts: [large] })])
    const refused = await server.json('/v1/streams/messages/records/large/field-window?field=parts')
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'field_not_text'])
    assert.match(refused.body.error.message, /\/parts\/0\/text/)
    for (const path of ['size', 'body', '/parts/2', '/parts/3', '/parts/4']) {
      assert.deepEqual(await code(`field=${path}`), [422, 'field_not_text'], path)
    }
    for (const path of ['secret', '/parts/9', '/parts/00/text', '/parts/-', '/parts/0/none', '/subject/0']) {
      assert.deepEqual(await code(`field=${path}`), [404, 'field_not_found'], path)
    }
    for (const path of ['/', '//x', '/parts/~2', 'x'.repeat(1_025)]) {
      assert.deepEqual(await code(`field=${path}`), [400, 'invalid_field_path'], path)
    }
    assert.deepEqual(await code(''), [400, 'invalid_request'])
    const wall = await server.grant({ streams: ['messages'], fields: ['id', 'subject'] })
    assert.deepEqual(await code('field=/parts/0/text', wall), [403, 'field_not_granted'])
    assert.deepEqual(await code('field=/parts/0/none', wall), [403, 'field_not_granted'])
  },
)

onEachEngine('ER-1 every refusal has a type, a code, a message and a request id', async engine => {
  const { server, read } = await serverWith(engine, { body: 'x' })
  await using _ = server
  const { status, body, headers } = await read('field=nothing')
  assert.equal(status, 404)
  const { type, code, message: text, request_id } = body.error
  assert.deepEqual([type, code], ['not_found_error', 'field_not_found'])
  assert.ok(text.length > 10)
  assert.equal(request_id, headers.get('Request-Id'))
})
