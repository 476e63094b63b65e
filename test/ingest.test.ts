import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { type Answer, count, type Engine, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, SELECTABLE, source } from './mailbox.ts'
import { Transcript } from './transcript.ts'

const FREE = {
  ...source('free', 'Free'),
  streams: [
    {
      name: 'things',
      ...SELECTABLE,
      schema: {
        type: 'object',
        properties: { id: {}, n: { type: 'integer' }, title: { x_pdpp_role: 'primary-title' } },
      },
      primary_key: ['id'],
      query: {
        aggregations: {
          count: true,
          sum: ['n'],
          min: ['n'],
          max: ['n'],
          group_by: ['n'],
          count_distinct: ['n'],
        },
      },
    },
    {
      name: 'pairs',
      ...SELECTABLE,
      schema: { type: 'object', properties: { a: {}, b: {}, v: {} } },
      primary_key: ['a', 'b'],
    },
  ],
}

async function start(engine: Engine) {
  const server = await TestServer.start(engine)
  const transcript = new Transcript('ingest', engine)
  const free = await server.connect(FREE)
  transcript.name(free, 'FREE')
  return { server, transcript, free }
}

/** Seen, added, updated, unchanged, deleted, rejected. */
function counts({ status, body }: Answer): unknown[] {
  if (status !== 200) return [status, body.error.code]
  return [body.seen, body.added, body.updated, body.unchanged, body.deleted, body.rejected]
}

function codes({ body }: Answer): [number, string][] {
  return body.rejections.map((rejection: { line: number; code: string }) => [rejection.line, rejection.code])
}

async function post(
  server: TestServer,
  path: string,
  body: string | Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return server.json(path, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/x-ndjson', ...headers },
  })
}

function read(server: TestServer, stream: string, id: string): Promise<Answer> {
  return server.json(`/v1/streams/${stream}/records/${encodeURIComponent(id)}`)
}

onEachEngine('ER-1 ingest counts the result of each line and says why a line was refused', async engine => {
  const { server, transcript, free } = await start(engine)
  await using _ = server
  const take = async (what: string, lines: readonly unknown[] | string, stream = 'things') =>
    transcript.note(what, await server.ingest(stream, free, lines))

  assert.deepEqual(counts(await take('empty', '')), [0, 0, 0, 0, 0, 0])
  assert.deepEqual(counts(await take('new', [{ data: { id: 'a', x: 1, y: 2 } }])), [1, 1, 0, 0, 0, 0])
  assert.deepEqual(counts(await take('again', [{ data: { id: 'a', x: 1, y: 2 } }])), [1, 0, 0, 1, 0, 0])
  const reordered = [
    { key: 'a', op: 'upsert', emitted_at: '2031-01-01T00:00:00Z', data: { y: 2, x: 1, id: 'a' } },
  ]
  assert.deepEqual(counts(await take('key order and emitted_at', reordered)), [1, 0, 0, 1, 0, 0])
  const older = [{ data: { id: 'a', x: 1, y: 3 }, emitted_at: '2001-01-01T00:00:00+01:00' }]
  assert.deepEqual(counts(await take('older emitted_at', older)), [1, 0, 1, 0, 0, 0])
  const stored = await read(server, 'things', 'a')
  assert.equal(stored.body.emitted_at, '2000-12-31T23:00:00Z')
  assert.equal(stored.body.version, 2)
  assert.deepEqual(stored.body.data, { id: 'a', x: 1, y: 3 })

  const deletions = [
    { op: 'delete', key: 'a' },
    { op: 'delete', data: { id: 'a' } },
    { op: 'delete', key: 'zz' },
  ]
  assert.deepEqual(counts(await take('delete', deletions)), [3, 0, 0, 2, 1, 0])
  assert.equal((await read(server, 'things', 'a')).body.error.code, 'not_found')
  assert.deepEqual(counts(await take('comes back', [{ data: { id: 'a' } }])), [1, 1, 0, 0, 0, 0])
  assert.equal((await read(server, 'things', 'a')).body.version, 4)

  const twice = [
    { data: { id: 'd', v: 1 } },
    { data: { id: 'd', v: 2 } },
    { data: { id: 'd', v: 2 } },
    { op: 'delete', key: 'd' },
    { data: { id: 'd', v: 3 } },
  ]
  assert.deepEqual(counts(await take('one key many times', twice)), [5, 2, 1, 1, 1, 0])
  assert.deepEqual((await read(server, 'things', 'd')).body.data, { id: 'd', v: 3 })

  const keys = [
    { data: { id: 'k1' } },
    { key: 'k2', data: { id: 'k2' } },
    { key: 17, data: { id: 17 } },
    { key: ['k3'], data: { id: 'k3' }, type: 'RECORD', stream: 'things' },
    { key: 'k4', data: { id: 'other' } },
    { key: 'k4', data: {} },
    { op: 'delete', key: 'k1', data: { id: 'k2' } },
    { data: {} },
    { key: '', data: {} },
    { key: {}, data: {} },
    { key: [], data: {} },
    { key: ['a', 'b'], data: {} },
    { key: [null], data: {} },
    { key: 'k5' },
    { key: 'k5', data: [] },
    { key: 'k5', data: {}, op: 'replace' },
    { key: 'k5', data: {}, emitted_at: 'yesterday' },
    { key: 'k5', data: {}, extra: 1 },
    { data: { id: 'k5' }, type: 'STATE' },
    { data: { id: 'k5' }, stream: 'pairs' },
    [],
    'text',
    null,
    7,
  ]
  const keyed = await take('keys', keys)
  assert.deepEqual(counts(keyed), [24, 4, 0, 0, 0, 20])
  assert.deepEqual(codes(keyed), [
    ...[5, 6, 7].map((line): [number, string] => [line, 'key_mismatch']),
    [8, 'missing_key'],
    [9, 'key_mismatch'],
    ...[10, 11, 12, 13].map((line): [number, string] => [line, 'invalid_key']),
    ...Array.from({ length: 11 }, (_, n): [number, string] => [14 + n, 'invalid_line']),
  ])
  for (const { message } of keyed.body.rejections) assert.match(message, /\S/)

  const pairs = [
    { data: { a: 'x', b: 'y', v: 1 } },
    { key: ['x', 'y'], data: { a: 'x', b: 'y', v: 2 } },
    { key: '["x","y"]', data: { a: 'x', b: 'y', v: 3 } },
    { data: { a: 'q"\\/', b: 12 } },
    { key: ['x', 'z'], data: { a: 'x', b: 'y' } },
    { data: { a: 'x' } },
  ]
  const compound = await take('compound key', pairs, 'pairs')
  assert.deepEqual(counts(compound), [6, 2, 2, 0, 0, 2])
  assert.deepEqual(codes(compound), [
    [5, 'key_mismatch'],
    [6, 'missing_key'],
  ])
  assert.deepEqual((await read(server, 'pairs', '["x","y"]')).body.data, { a: 'x', b: 'y', v: 3 })
  assert.equal((await read(server, 'pairs', '["q\\"\\\\/","12"]')).status, 200)

  const mail = await server.connect(MAILBOX)
  transcript.name(mail, 'MAIL')
  const mismatches = [
    message('ok'),
    { key: 'no-id', data: { subject: 'x' } },
    message('bad', { received_at: 'soon' }),
    message('bad', { size: 1.5 }),
    message('bad', { subject: 7 }),
  ]
  const mismatched = transcript.note('schema', await server.ingest('messages', mail, mismatches))
  assert.deepEqual(counts(mismatched), [5, 1, 0, 0, 0, 4])
  assert.deepEqual(codes(mismatched), [
    [2, 'schema_mismatch'],
    [3, 'schema_mismatch'],
    [4, 'schema_mismatch'],
    [5, 'schema_mismatch'],
  ])

  transcript.note('all of it', await server.json('/v1/streams/pairs/records?order=asc&fields=v'))
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine(
  'ER-1 ingest accepts blank lines, CRLF, a BOM and gzip, and reports text that is not valid',
  async engine => {
    const { server, transcript, free } = await start(engine)
    await using _ = server
    const path = `/v1/ingest/things?connection_id=${free}`
    const note = async (what: string, answer: Promise<Answer>) => transcript.note(what, await answer)

    const blank = '\uFEFF{"data":{"id":"b1"}}\r\n\r\n  \n\n{"data":{"id":"b2"}}\r\n{"key":\r\n'
    const blanks = await note('blank lines', post(server, path, blank))
    assert.deepEqual(counts(blanks), [3, 2, 0, 0, 0, 1])
    assert.deepEqual(codes(blanks), [[6, 'invalid_json']])

    const broken = Buffer.concat([
      Buffer.from('{"data":{"id":"u1"}}\n{"data":{"id":"u2","t":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}}\n{"data":{"id":"u3","t":"é"}}\n{"data":{"id":"u4"}'),
      Buffer.from([0xff]),
    ])
    const utf8 = await note('invalid UTF-8', post(server, path, broken))
    assert.deepEqual(counts(utf8), [4, 2, 0, 0, 0, 2])
    assert.deepEqual(codes(utf8), [
      [2, 'invalid_utf8'],
      [4, 'invalid_utf8'],
    ])
    // Bytes arrive in chunks that may split characters and lines.
    const whole = Buffer.from(
      Array.from({ length: 40 }, (_, i) => `{"data":{"id":"cut-${i}","t":"é漢👋🏽"}}`).join('\r\n'),
    )
    const dripping = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < whole.length; at += 7) controller.enqueue(whole.subarray(at, at + 7))
        controller.close()
      },
    })
    assert.deepEqual(counts(await post(server, path, dripping)), [40, 40, 0, 0, 0, 0])
    assert.equal((await read(server, 'things', 'cut-39')).body.data.t, 'é漢👋🏽')

    const gzip = { 'Content-Encoding': 'gzip' }
    const zipped = gzipSync('{"data":{"id":"z1"}}\n{"data":{"id":"z2"}}')
    assert.deepEqual(counts(await note('gzip', post(server, path, zipped, gzip))), [2, 2, 0, 0, 0, 0])
    const parts = Buffer.concat([gzipSync('{"data":{"id":"z3"}}\n'), gzipSync('{"data":{"id":"z4"}}')])
    assert.deepEqual(counts(await post(server, path, parts, gzip)), [2, 2, 0, 0, 0, 0])
    const cut = await note('cut gzip', post(server, path, zipped.subarray(0, 30), gzip))
    assert.deepEqual(counts(cut), [400, 'invalid_request'])
    const wrong = await note('no gzip', post(server, path, '{"data":{"id":"z5"}}', gzip))
    assert.deepEqual(counts(wrong), [400, 'invalid_request'])
    const unknown = await note('brotli', post(server, path, '{}', { 'Content-Encoding': 'br' }))
    assert.deepEqual(counts(unknown), [415, 'unsupported_media_type'])
    for (const headers of [{}, gzip]) {
      const breaksOff = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(zipped.subarray(0, 12))
          controller.error(new Error('The client went away.'))
        },
      })
      assert.deepEqual(counts(await post(server, path, breaksOff, headers)), [400, 'invalid_request'])
    }
    assert.deepEqual(counts(await post(server, path, '{"data":{"id":"z6"}}')), [1, 1, 0, 0, 0, 0])

    for (const type of ['application/json', 'text/plain', '', 'application/x-ndjson-seq']) {
      const refused = await note(`type ${type}`, post(server, path, '{}', { 'Content-Type': type }))
      assert.deepEqual(counts(refused), [415, 'unsupported_media_type'])
    }
    const typed = { 'Content-Type': 'Application/X-NDJSON; charset=utf-8' }
    assert.deepEqual(counts(await post(server, path, '{"data":{"id":"t"}}', typed)), [1, 1, 0, 0, 0, 0])

    const nowhere = await note(
      'unknown connection',
      post(server, '/v1/ingest/things?connection_id=cin_none', ''),
    )
    assert.deepEqual(counts(nowhere), [404, 'connection_not_found'])
    const streamless = await note('unknown stream', post(server, `/v1/ingest/none?connection_id=${free}`, ''))
    assert.deepEqual(counts(streamless), [404, 'not_found'])
    for (const query of ['', '?connection_id=']) {
      const missing = await note('missing', post(server, `/v1/ingest/things${query}`, ''))
      assert.deepEqual(counts(missing), [400, 'invalid_request'])
      assert.equal(missing.body.error.param, 'connection_id')
    }
    const mail = await server.connect(MAILBOX)
    transcript.name(mail, 'MAIL')
    const foreign = await note('foreign stream', post(server, `/v1/ingest/things?connection_id=${mail}`, ''))
    assert.deepEqual(counts(foreign), [404, 'not_found'])
    transcript.compare()
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('RS-5 every JSON value is returned exactly as it was sent', async engine => {
  const { server, transcript, free } = await start(engine)
  await using _ = server
  const raw = async (id: string) => {
    const response = await server.request(`/v1/streams/things/records/${id}`)
    const text = await response.text()
    return text.slice(text.indexOf('"data":') + 7, text.indexOf(',"emitted_at"'))
  }
  const data =
    '{"id":"big","n":12345678901234567890123,"list":[9007199254740993,-9007199254740993,0.1],"e":1e400,"f":1.5e3}'
  assert.deepEqual(counts(await server.ingest('things', free, `{"data":${data}}`)), [1, 1, 0, 0, 0, 0])
  assert.equal(await raw('big'), data.replace('1.5e3', '1500'))
  assert.deepEqual(counts(await server.ingest('things', free, `{"data":${data}}`)), [1, 0, 0, 1, 0, 0])
  const nearly = data.replace('890123,', '890124,')
  assert.deepEqual(counts(await server.ingest('things', free, `{"data":${nearly}}`)), [1, 0, 1, 0, 0, 0])
  await server.ingest('things', free, '{"data":{"id":"big2","n":-9007199254740993}}')
  const aggregate = async (query: string) => {
    const response = await server.request(`/v1/streams/things/aggregate?${query}`)
    return response.text()
  }
  const sum = 12345678901234567890124n - 9007199254740993n
  assert.match(await aggregate('metric=sum&field=n'), new RegExp(`"value":${sum},`))
  assert.match(await aggregate('metric=max&field=n'), /"value":12345678901234567890124,/)
  assert.match(await aggregate('metric=min&field=n'), /"value":-9007199254740993,/)
  assert.match(
    await aggregate('group_by=n'),
    /\[\{"key":-9007199254740993,"count":1\},\{"key":12345678901234567890124,"count":1\}\]/,
  )

  const doubled =
    '{"key":"dup","key":"dup2","data":{"v":1},"data":{"id":"dup2","v":1e400,"v":"last","w":{"x":1,"x":2}}}'
  assert.deepEqual(counts(await server.ingest('things', free, doubled)), [1, 1, 0, 0, 0, 0])
  assert.equal(await raw('dup2'), '{"id":"dup2","v":"last","w":{"x":2}}')

  const proto =
    '{"data":{"id":"p","__proto__":{"polluted":true},"constructor":{"a":1},"in":{"__proto__":[12345678901234567890]}}}'
  assert.deepEqual(counts(await server.ingest('things', free, proto)), [1, 1, 0, 0, 0, 0])
  assert.equal(await raw('p'), proto.slice('{"data":'.length, -1))
  assert.deepEqual(counts(await server.ingest('things', free, proto)), [1, 0, 0, 1, 0, 0])
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
  const unclean = String.raw`{"data":{"id":"n\u0000ul","t":"a\u0000b\ud800c\udc00d\ud83d\udc4b","k\u0000":["\uDFFF"]}}`
  const cleaned = transcript.note('cleaned', await server.ingest('things', free, unclean))
  assert.deepEqual(counts(cleaned), [1, 1, 0, 0, 0, 0])
  assert.deepEqual(
    cleaned.body.meta.warnings.map(({ code, detail }: { code: string; detail: unknown }) => [code, detail]),
    [['text_cleaned', { count: 6 }]],
  )
  assert.deepEqual((await read(server, 'things', 'n\uFFFDul')).body.data, {
    id: 'n\uFFFDul',
    t: 'a\uFFFDb\uFFFDc\uFFFDd👋',
    'k\uFFFD': ['\uFFFD'],
  })
  const escaped = String.raw`{"data":{"id":"esc","t":"\\u0000 \\ud800 \u0001\u001f\u007f\u2028"}}`
  const untouched = await server.ingest('things', free, escaped)
  assert.deepEqual(untouched.body.meta.warnings, [])
  assert.equal((await read(server, 'things', 'esc')).body.data.t, '\\u0000 \\ud800 \u0001\u001f\u007f\u2028')

  const deep = (depth: number) =>
    `{"data":{"id":"deep-${depth}","d":${'['.repeat(depth)}${']'.repeat(depth)}}}`
  const nested = [deep(100), deep(100_000), `{"data":{"id":"after"}}`].join('\n')
  const depths = transcript.note('deep', await server.ingest('things', free, nested))
  assert.deepEqual(counts(depths), [3, 2, 0, 0, 0, 1])
  assert.deepEqual(codes(depths), [[2, 'invalid_line']])
  assert.equal((await read(server, 'things', 'deep-100')).status, 200)

  const blob = `sha256-${'0'.repeat(64)}`
  const longName = Array.from({ length: 3_000 }, (_, i) =>
    String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000)),
  )
  const odd = { data: { id: 'odd', [longName.join('')]: { blob_id: blob }, '': { blob_id: blob } } }
  assert.deepEqual(counts(await server.ingest('things', free, [odd])), [1, 1, 0, 0, 0, 0])
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine('a key named __proto__ changes like any other', async engine => {
  const { server, free } = await start(engine)
  await using _ = server
  const proto = '{"data":{"id":"p","__proto__":{"polluted":true},"a":1}}'
  assert.deepEqual(counts(await server.ingest('things', free, proto)), [1, 1, 0, 0, 0, 0])
  const emptied = proto.replace('{"polluted":true}', '{}')
  assert.deepEqual(counts(await server.ingest('things', free, emptied)), [1, 0, 1, 0, 0, 0])
  const removed = proto.replace('"__proto__":{"polluted":true},', '')
  assert.deepEqual(counts(await server.ingest('things', free, removed)), [1, 0, 1, 0, 0, 0])
  assert.deepEqual(counts(await server.ingest('things', free, emptied)), [1, 0, 1, 0, 0, 0])
  assert.deepEqual(server.failures, [])
})

onEachEngine('ID-11 record ids have up to 1,024 characters of any script', async engine => {
  const { server, transcript, free } = await start(engine)
  await using _ = server
  const varied = (from: number) => (_: unknown, i: number) =>
    String.fromCodePoint(from + ((i * 7919) % 9_973))
  const text = (length: number, from: number) => Array.from({ length }, varied(from)).join('')
  const ids = [
    'a'.repeat(1_024),
    text(1_024, 0x4e00),
    text(1_024, 0x20000),
    `${text(1_023, 0x20000)}x`,
    `${text(1_023, 0x20000)}y`,
    text(300, 0x20000),
    text(301, 0x20000),
    '\u0001'.repeat(1_024),
    '"\\'.repeat(512),
  ]
  const outcome = transcript.note(
    'ids',
    await server.ingest(
      'things',
      free,
      [...ids, 'b'.repeat(1_025), text(1_025, 0x20000)].map((id, n) => ({ data: { id, n } })),
    ),
  )
  assert.deepEqual(counts(outcome), [11, 9, 0, 0, 0, 2])
  assert.deepEqual(codes(outcome), [
    [10, 'invalid_key'],
    [11, 'invalid_key'],
  ])
  for (const [n, id] of ids.entries()) {
    const answer = await read(server, 'things', id)
    assert.deepEqual([answer.status, answer.body.id === id, answer.body.data?.n], [200, true, n])
    const window = await server.json(
      `/v1/streams/things/records/${encodeURIComponent(id)}/field-window?field=n`,
    )
    assert.equal(window.body.error.code, 'field_not_text')
  }
  const walked: string[] = []
  for (let cursor = ''; ; ) {
    const page = await server.json(`/v1/streams/things/records?order=asc&limit=2&fields=n${cursor}`)
    walked.push(...page.body.data.map((record: { id: string }) => record.id))
    if (!page.body.has_more) break
    cursor = `&cursor=${page.body.next_cursor}`
  }
  assert.deepEqual(new Set(walked), new Set(ids))
  assert.equal(walked.length, ids.length)
  transcript.add('walk', walked)
  // An id that looks like the key of a long id in the index is a separate record.
  const long = text(1_024, 0x20000)
  const stored = await server.store.database.get<{ record_key: string }>(
    'SELECT record_key FROM records WHERE long_id = ?',
    [long],
  )
  const key = stored?.record_key ?? ''
  assert.notEqual(key, '')
  assert.deepEqual(
    counts(await server.ingest('things', free, [{ data: { id: key, n: 99 } }])),
    [1, 1, 0, 0, 0, 0],
  )
  assert.equal((await read(server, 'things', key)).body.data.n, 99)
  assert.equal((await read(server, 'things', long)).body.data.n, 2)
  assert.deepEqual(
    counts(await server.ingest('things', free, [{ op: 'delete', key: long }])),
    [1, 0, 0, 0, 1, 0],
  )
  assert.equal((await read(server, 'things', long)).status, 404)
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine('RF-9 texts of 16,385 characters or more are long texts at any depth', async engine => {
  const { server, transcript, free } = await start(engine)
  await using _ = server
  const at = (n: number, seed: string) =>
    seed.repeat(Math.ceil(n / Array.from(seed).length)).slice(0, seed.length * n)
  const exact = '👋'.repeat(16_384)
  const above = '👋'.repeat(16_385)
  const data = {
    id: 'long',
    exact,
    above,
    deep: { list: ['x', at(20_000, 'y'), { '/~': `${at(16_385, 'z')}` }], __proto__x: 1 },
    title: `${'Ü'.repeat(300)}${'t'.repeat(17_000)}`,
  }
  assert.deepEqual(counts(await server.ingest('things', free, [{ data }])), [1, 1, 0, 0, 0, 0])
  assert.deepEqual(counts(await server.ingest('things', free, [{ data }])), [1, 0, 0, 1, 0, 0])
  const pieces = await server.store.database.all<{ text_no: number }>('SELECT DISTINCT text_no FROM pieces')
  assert.equal(pieces.length, 4)
  const whole = await read(server, 'things', 'long')
  assert.deepEqual(whole.body.data, data)
  assert.equal(whole.body.title, `${'Ü'.repeat(199)}…`)
  assert.equal(whole.body.truncated_fields, undefined)

  const uncut = await server.json('/v1/streams/things/records')
  assert.deepEqual(uncut.body.data[0].data, data, 'a list cuts nothing unless it is asked to')
  const list = await server.json('/v1/streams/things/records?max_field_chars=16384')
  const [shown] = list.body.data
  assert.equal(shown.title, `${'Ü'.repeat(199)}…`)
  assert.equal(shown.data.exact, exact)
  assert.equal(shown.data.above, exact)
  const cut = (shown.truncated_fields as { field_path: string; size_chars: number; returned_chars: number }[])
    .map(field => [field.field_path, field.size_chars, field.returned_chars])
    .sort()
  assert.deepEqual(cut, [
    ['/deep/list/1', 20_000, 16_384],
    ['/deep/list/2/~1~0', 16_385, 16_384],
    ['above', 16_385, 16_384],
    ['title', 17_300, 16_384],
  ])
  transcript.add('cut', shown.truncated_fields)
  for (const [path, expected] of [
    ['above', above],
    ['/deep/list/1', data.deep.list[1]],
    ['/deep/list/2/~1~0', at(16_385, 'z')],
  ] as [string, string][]) {
    const window = await server.json(
      `/v1/streams/things/records/long/field-window?field=${encodeURIComponent(path)}&offset_chars=16380`,
    )
    assert.equal(window.body.window.text, Array.from(expected).slice(16_380).join(''))
  }

  // The text moves to another field, so the record and its ETag are different.
  const text = 'm'.repeat(20_000)
  const tags: (string | null)[] = []
  for (const moved of [
    { id: 'moves', a: text, b: '' },
    { id: 'moves', a: '', b: text },
  ]) {
    const line = { data: moved, emitted_at: '2026-01-01T00:00:00Z' }
    assert.equal((await server.ingest('things', free, [line])).body.unchanged, 0)
    const response = await read(server, 'things', 'moves')
    assert.deepEqual(response.body.data, moved)
    tags.push(response.headers.get('ETag'))
  }
  assert.notEqual(tags[0], tags[1])

  const shorter = { ...data, above: 'short', deep: null }
  assert.deepEqual(counts(await server.ingest('things', free, [{ data: shorter }])), [1, 0, 1, 0, 0, 0])
  assert.deepEqual((await read(server, 'things', 'long')).body.data, shorter)
  await server.ingest('things', free, [
    { op: 'delete', key: 'long' },
    { op: 'delete', key: 'moves' },
  ])
  assert.deepEqual(await server.store.database.all('SELECT text_no FROM pieces'), [])
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine(
  'ingest accepts many lines at once and counts the accepted ones even if others are rejected',
  async engine => {
    await using server = await TestServer.start(engine)
    const mail = await server.connect(MAILBOX)
    const [seen, different] = [count(3_900, 21_000), count(3_000, 15_000)]
    const lines = Array.from({ length: seen }, (_, n) =>
      n % 3 === 2
        ? '{"broken'
        : JSON.stringify(message(`m${n % different}`, { size: n, received_at: '2026-01-02T03:04:05Z' })),
    )
    const added = (different / 3) * 2
    const outcome = await server.ingest('messages', mail, lines.join('\n'))
    assert.deepEqual(counts(outcome), [seen, added, ((seen - different) / 3) * 2, 0, 0, seen / 3])
    assert.equal(outcome.body.rejections.length, 1_000)
    assert.equal(outcome.body.meta.warnings[0].code, 'rejections_cut')
    const counted = await server.json('/v1/streams/messages/records?count=exact&limit=1')
    assert.equal(counted.body.meta.count, added)
    assert.equal((await read(server, 'messages', 'm0')).body.data.size, different)
    const streams = (await server.json('/v1/streams')).body.data
    const messages = streams.find((stream: { name: string }) => stream.name === 'messages')
    assert.equal(messages.record_count, added)
    assert.deepEqual(server.failures, [])
  },
)
