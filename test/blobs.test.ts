import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { onEachEngine, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const BYTES = Buffer.from(Uint8Array.from({ length: 700_001 }, (_, n) => (n * 7919) % 251))

async function upload(server: TestServer, bytes: Uint8Array, type = 'image/png') {
  return server.json('/v1/blobs', { method: 'POST', body: bytes, headers: { 'Content-Type': type } })
}

function idOf(bytes: Uint8Array): string {
  return `sha256-${createHash('sha256').update(bytes).digest('hex')}`
}

async function count(server: TestServer, table: string): Promise<number> {
  const row = await server.store.database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
  return Number(row?.n)
}

onEachEngine('blobs are uploaded once and read in ranges', async engine => {
  await using server = await TestServer.start(engine)
  const made = await upload(server, BYTES)
  const id = idOf(BYTES)
  assert.deepEqual(
    [made.status, made.body],
    [
      201,
      {
        object: 'blob',
        blob_id: id,
        mime_type: 'image/png',
        size_bytes: BYTES.length,
        digest: id.replace('-', ':'),
      },
    ],
  )
  const pieces = await count(server, 'blob_pieces')
  const again = await upload(server, BYTES, 'text/html')
  assert.deepEqual([again.status, again.body], [201, made.body])
  assert.deepEqual([await count(server, 'blob_pieces'), await count(server, 'blobs')], [pieces, 1])
  for (const type of ['nonsense', 'a b/c', 'text/html\u00e9']) {
    assert.equal((await upload(server, BYTES, type)).status, 415, type)
  }

  const path = `/v1/blobs/${id}`
  const get = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await server.request(path, { method, headers })
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const whole = await get()
  assert.equal(whole.response.status, 200)
  assert.ok(whole.bytes.equals(BYTES))
  const { headers } = whole.response
  assert.equal(headers.get('Content-Type'), 'image/png')
  assert.equal(headers.get('Content-Length'), String(BYTES.length))
  assert.equal(headers.get('Accept-Ranges'), 'bytes')
  assert.equal(headers.get('Cache-Control'), 'private, no-store')
  assert.equal(headers.get('X-Content-Type-Options'), 'nosniff')
  assert.match(headers.get('ETag') ?? '', /^"[\w-]+"$/)
  const head = await get({}, 'HEAD')
  assert.deepEqual([head.response.status, head.bytes.length], [200, 0])
  for (const name of ['Content-Type', 'Content-Length', 'ETag', 'Cache-Control', 'X-Content-Type-Options']) {
    assert.equal(head.response.headers.get(name), headers.get(name), name)
  }
  const size = BYTES.length
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=0-99', 0, 100],
    ['bytes=262100-262200', 262_100, 262_201],
    ['bytes=700000-', 700_000, size],
    ['bytes=100-', 100, size],
    ['bytes=-1', size - 1, size],
    ['bytes=-300000', size - 300_000, size],
    ['bytes=-999999999', 0, size],
    ['bytes=5-999999999', 5, size],
    [' bytes=5-6 ', 5, 7],
  ] as [string, number, number][]) {
    const { response, bytes } = await get({ Range: range })
    assert.equal(response.status, 206, range)
    assert.ok(bytes.equals(BYTES.subarray(start, end)), range)
    assert.equal(response.headers.get('Content-Range'), `bytes ${start}-${end - 1}/${size}`)
    assert.equal(response.headers.get('Content-Length'), String(end - start))
  }
  for (const range of [
    `bytes=${size}-`,
    `bytes=${size}-${size + 9}`,
    'bytes=-0',
    `bytes=${'9'.repeat(40)}-`,
  ]) {
    const { response, bytes } = await get({ Range: range })
    assert.equal(response.status, 416, range)
    assert.equal(response.headers.get('Content-Range'), `bytes */${size}`)
    assert.equal(JSON.parse(bytes.toString()).error.code, 'range_not_satisfiable')
  }
  for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=', 'bytes=-', 'bytes=a-b', 'nonsense']) {
    const { response, bytes } = await get({ Range: range })
    assert.deepEqual([response.status, bytes.length], [200, size], range)
  }
  const tag = headers.get('ETag') ?? ''
  // RFC 9110: a range of another state is the whole, and a weak tag is never the same.
  for (const [ifRange, status] of [
    [tag, 206],
    ['"other"', 200],
    [`W/${tag}`, 200],
    ['Thu, 01 Jan 2026 00:00:00 GMT', 200],
  ] as const)
    assert.equal((await get({ Range: 'bytes=0-1', 'If-Range': ifRange })).response.status, status, ifRange)
  const held = await get({ 'If-None-Match': tag })
  assert.deepEqual([held.response.status, held.bytes.length], [304, 0])

  const empty = await upload(server, new Uint8Array())
  assert.equal(empty.body.size_bytes, 0)
  const nothing = await server.request(`/v1/blobs/${empty.body.blob_id}`)
  assert.deepEqual([nothing.status, (await nothing.arrayBuffer()).byteLength], [200, 0])
  for (const wrong of [id.slice(0, -1), id.toUpperCase(), 'x', '..%2f', idOf(Buffer.from('never'))]) {
    const { status, body } = await server.json(`/v1/blobs/${wrong}`)
    assert.deepEqual([status, body.error.code], [404, 'blob_not_found'], wrong)
  }
  const broken = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(BYTES.subarray(0, 300_000))
      controller.error(new Error('gone'))
    },
  })
  const refused = await server.json('/v1/blobs', {
    method: 'POST',
    body: broken,
    headers: { 'Content-Type': 'a/b' },
  })
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_request'])
  assert.equal(await count(server, 'blobs'), 2)
  assert.deepEqual(server.failures, [])
})

onEachEngine(
  'RS-5 the type of a blob is what the readable record says, whoever stored it first',
  async engine => {
    await using server = await TestServer.start(engine)
    const [work, home] = [await server.connect(MAILBOX, 'Work'), await server.connect(MAILBOX, 'Home')]
    const blob_id = (await upload(server, Buffer.from('<p>'), 'text/html')).body.blob_id as string
    const parts = (mime_type?: string) => [
      { blob_id: 'other', mime_type: 'a/b' },
      { deep: [{ blob_id, mime_type }] },
    ]
    await server.ingest('messages', home, [message('hidden', { parts: parts('text/html') })])
    const token = await server.grant({ connections: [work] })
    const typeFor = async (mime_type?: string) => {
      await server.ingest('messages', work, [message('seen', { parts: parts(mime_type) })])
      const response = await server.request(`/v1/blobs/${blob_id}`, { token })
      assert.equal(await response.text(), '<p>')
      return response.headers.get('Content-Type')
    }
    assert.equal(await typeFor('text/plain; charset=utf-8'), 'text/plain; charset=utf-8')
    assert.equal(await typeFor('text/plain; name=é'), 'application/octet-stream')
    assert.equal(await typeFor(), 'application/octet-stream')
  },
)

onEachEngine(
  'RS-2 RS-4 a client sees a blob only through a readable record and a granted field',
  async engine => {
    await using server = await TestServer.start(engine)
    const [work, home] = [await server.connect(MAILBOX, 'Work'), await server.connect(MAILBOX, 'Home')]
    const bytes = ['in parts', 'in secret', 'shared', 'loose', 'later'].map(text => Buffer.from(text))
    const [parts = '', secret = '', shared = '', loose = '', later = ''] = await Promise.all(
      bytes.map(async item => (await upload(server, item, 'text/plain')).body.blob_id as string),
    )
    const withBlob = (id: string, blob_id: string, more = {}) =>
      message(id, { parts: [{ deep: { blob_id, mime_type: 'text/plain' } }], ...more })
    await server.ingest('messages', work, [
      withBlob('a', parts),
      { data: { ...message('b').data, undeclared: { blob_id: secret } } },
      withBlob('s', shared),
      withBlob('old', later, { received_at: '2020-01-01T00:00:00Z' }),
    ])
    await server.ingest('messages', home, [withBlob('s2', shared)])
    const sees = async (token: string, blob_id: string) => {
      const response = await server.request(`/v1/blobs/${blob_id}`, { token })
      return response.status === 200 ? response.text() : response.status
    }
    const all = await server.grant()
    assert.equal(await sees(all, parts), 'in parts')
    assert.equal(await sees(all, secret), 404)
    assert.equal(await sees(all, shared), 'shared')
    assert.equal(await sees(all, loose), 404)
    assert.equal(await sees(all, later), 'later')
    for (const blob of [parts, secret, shared, loose, later])
      assert.notEqual(await sees(server.ownerToken, blob), 404)
    assert.equal(await sees(await server.grant({ fields: ['id', 'subject'] }), parts), 404)
    assert.equal(await sees(await server.grant({ connections: [home] }), parts), 404)
    assert.equal(await sees(await server.grant({ connections: [home] }), shared), 'shared')
    assert.equal(await sees(await server.grant({ streams: ['notes'] }), shared), 404)
    const recent = await server.grant({ since: '2026-01-01' })
    assert.deepEqual([await sees(recent, parts), await sees(recent, later)], ['in parts', 404])
    const one = await server.grant({ records: ['messages:s'] })
    assert.deepEqual([await sees(one, shared), await sees(one, parts)], ['shared', 404])
    assert.equal((await server.request(`/v1/blobs/${loose}`, { token: all, method: 'HEAD' })).status, 404)

    const ledger = await server.json('/v1/owner/disclosures?limit=100')
    const told = ledger.body.data.find((entry: { status: number }) => entry.status === 200)
    assert.deepEqual(told.shown, [
      { connection_id: work, stream: 'messages', record_ids: ['s'], fields: ['parts'] },
    ])
    await server.ingest('messages', work, [message('a')])
    assert.equal(await sees(all, parts), 404)
    await server.json('/v1/streams/messages/records/old', { method: 'DELETE' }).catch(() => {})
    assert.equal(await sees(all, later), 404)

    await server.ingest('messages', work, [withBlob('a', parts)])
    assert.equal((await server.request(`/v1/owner/connections/${work}`, { method: 'DELETE' })).status, 204)
    assert.equal(await sees(server.ownerToken, parts), 404)
    assert.equal(await sees(server.ownerToken, secret), 404)
    assert.equal(await sees(server.ownerToken, shared), 'shared')
    assert.equal(await sees(server.ownerToken, loose), 'loose')
    assert.equal(await sees(all, shared), 'shared')
    const orphans = await server.store.database.all(
      'SELECT upload_id FROM blob_pieces WHERE upload_id NOT IN (SELECT upload_id FROM blobs)',
    )
    assert.deepEqual(orphans, [])
    assert.equal((await server.request(`/v1/owner/connections/${home}`, { method: 'DELETE' })).status, 204)
    assert.equal(await sees(server.ownerToken, shared), 404)
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('the URL of a blob is set by the server, never by a producer', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  const { blob_id } = (await upload(server, Buffer.from('bytes'), 'text/plain')).body
  const foreign = 'https://evil.example/blob'
  const outcome = await server.ingest('messages', mail, [
    message('m', { parts: [{ blob_id, mime_type: 'text/plain; charset=utf-8', fetch_url: foreign }] }),
    message('plain', { parts: [{ fetch_url: foreign }] }),
    message('bad', { parts: [{ deep: { blob_id, mime_type: 'nonsense' } }] }),
    message('bad', { parts: [{ blob_id, mime_type: 7 }] }),
  ])
  assert.deepEqual(
    outcome.body.rejections.map(({ line, code }: { line: number; code: string }) => [line, code]),
    [
      [3, 'invalid_blob_reference'],
      [4, 'invalid_blob_reference'],
    ],
  )
  const token = await server.grant()
  const path = '/v1/streams/messages/records'
  const lists = [path, `${path}?changes_since=beginning`]
  const shown = [
    (await server.json(`${path}/m`, { token })).body,
    (await server.json(`${path}/m?max_field_chars=100`, { token })).body,
    ...(await Promise.all(lists.map(list => server.json(list, { token })))).map(({ body }) =>
      body.data.find(({ id }: { id: string }) => id === 'm'),
    ),
  ]
  const fetch_url = `${PUBLIC_URL}/v1/blobs/${blob_id}`
  for (const record of shown)
    assert.deepEqual(record.data.parts, [{ blob_id, mime_type: 'text/plain; charset=utf-8', fetch_url }])
  assert.equal(await (await server.request(new URL(fetch_url).pathname, { token })).text(), 'bytes')
  const plain = (await server.json(`${path}/plain`, { token })).body
  assert.deepEqual(plain.data.parts, [{ fetch_url: foreign }], 'what is not a blob is data')
  assert.deepEqual(server.failures, [])
})
