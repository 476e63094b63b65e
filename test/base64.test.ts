import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { onEachEngine, TestServer } from './engines.ts'
import { source, stream } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

const PICTURE = Buffer.from('ABC'.repeat(3_000))
const SOUND = Buffer.from(Array.from({ length: 999 }, (_, i) => i % 256))
const SHA = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const DECLARATION = {
  ...source('album'),
  streams: [
    stream(
      'pictures',
      {
        caption: { type: ['string', 'null'], x_pdpp_role: 'primary-title' },
        picture: { type: ['string', 'null'] },
        sound: { type: ['string', 'null'], contentEncoding: 'base64', contentMediaType: 'audio/ogg' },
        parts: {
          type: 'array',
          items: { type: 'object', properties: { sound: { type: 'string', contentEncoding: 'base64' } } },
        },
      },
      { query: { search: { lexical_fields: ['caption', 'picture', 'sound', 'parts'] } } },
    ),
  ],
}

const RECORD = {
  data: {
    id: 'p1',
    caption: 'A heron',
    picture: `data:image/png;base64,${PICTURE.toString('base64')}`,
    sound: SOUND.toString('base64').replace(/.{76}/g, '$&\r\n'),
    parts: [{ sound: SOUND.toString('base64url'), note: 'data: not a URI' }],
  },
}

const PICTURE_REFERENCE = { blob_id: `sha256-${SHA(PICTURE)}`, mime_type: 'image/png', size_bytes: 9_000 }
const SOUND_REFERENCE = { blob_id: `sha256-${SHA(SOUND)}`, mime_type: 'audio/ogg', size_bytes: 999 }

function withUrl(reference: { blob_id: string }): object {
  return { ...reference, fetch_url: `http://footnote.test/v1/blobs/${reference.blob_id}` }
}

onEachEngine(
  'LA-6 base64 is stored as bytes with type, size and digest, and cannot be found by words',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(DECLARATION)
    const first = await server.ingest('pictures', connection, [RECORD])
    assert.deepEqual([first.body.added, first.body.rejected], [1, 0], JSON.stringify(first.body))
    const again = await server.ingest('pictures', connection, [RECORD])
    assert.equal(again.body.unchanged, 1)

    const token = await server.grant({ streams: ['pictures'] })
    const { body } = await server.json('/v1/streams/pictures/records/p1', { token })
    assert.deepEqual(body.data, {
      id: 'p1',
      caption: 'A heron',
      picture: withUrl(PICTURE_REFERENCE),
      sound: withUrl(SOUND_REFERENCE),
      parts: [
        {
          sound: withUrl({ ...SOUND_REFERENCE, mime_type: 'application/octet-stream' } as {
            blob_id: string
          }),
          note: 'data: not a URI',
        },
      ],
    })
    for (const path of [
      '/v1/records',
      '/v1/streams/pictures/records',
      '/v1/streams/pictures/records/p1',
      '/v1/streams/pictures/records/p1?field=picture',
      '/v1/streams/pictures/records/p1?field=sound',
      '/v1/search?q=heron',
    ]) {
      const text = await (await server.request(path, { token })).text()
      assert.ok(!text.includes(PICTURE.toString('base64').slice(0, 40)), path)
      assert.ok(!text.includes(SOUND.toString('base64').slice(0, 40)), path)
    }
    for (const word of ['QUJD'.repeat(5), 'QUJDQUJD', SOUND.toString('base64').slice(0, 12)]) {
      const found = await server.json(`/v1/search?${new URLSearchParams({ q: `${word} ${word}*` })}`, {
        token,
      })
      assert.deepEqual(found.body.data, [], word)
    }
    const bytes = await server.request(`/v1/blobs/${PICTURE_REFERENCE.blob_id}`, { token })
    assert.deepEqual([bytes.status, bytes.headers.get('Content-Type')], [200, 'image/png'])
    assert.ok(Buffer.from(await bytes.arrayBuffer()).equals(PICTURE))

    const blind = await server.grant({ streams: ['pictures'], fields: ['id', 'caption'] })
    const hidden = await server.request(`/v1/blobs/${PICTURE_REFERENCE.blob_id}`, { token: blind })
    assert.equal(hidden.status, 404)
    const gone = { op: 'delete', key: 'p1' }
    await server.ingest('pictures', connection, [gone])
    assert.equal((await server.request(`/v1/blobs/${PICTURE_REFERENCE.blob_id}`)).status, 404)
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('LA-6 both channels show what a base64 value is and where its bytes are', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(DECLARATION)
  await server.ingest('pictures', connection, [RECORD])
  await using client = await McpTestClient.connect(server, await server.grant({ streams: ['pictures'] }))
  for (const [tool, args] of [
    ['fetch', { id: `${connection}/pictures:p1` }],
    ['query_records', { stream: 'pictures' }],
  ] as const) {
    const { result, text, structured, isError } = await client.call(tool, args)
    assert.ok(!isError, text)
    assert.ok(!JSON.stringify(result).includes('QUJDQUJD'), tool)
    const { fields } = structured.content_ladder.records[0]
    const picture = fields.find(({ path }: { path: string }) => path === 'picture')
    assert.deepEqual(
      [picture.status, picture.mime_type, picture.size_bytes, picture.digest, picture.text_like],
      ['binary-only', 'image/png', 9_000, `sha256:${SHA(PICTURE)}`, false],
    )
    assert.ok(picture.export_url.endsWith(PICTURE_REFERENCE.blob_id))
    const { contents } = await client.read(picture.resource)
    assert.ok(Buffer.from(contents[0].blob, 'base64').equals(PICTURE))
    assert.ok(text.includes(PICTURE_REFERENCE.blob_id), tool)
  }
  assert.deepEqual(server.failures, [])
})

onEachEngine('text that only looks like base64 stays unchanged, and so do keys', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(DECLARATION)
  const id = `data:text/plain;base64,${Buffer.from('key').toString('base64')}`
  const data = {
    id,
    caption: 'data:text/plain,hello',
    picture: 'data:image/png;base64,not base64!',
    sound: 'a song, not base64',
  }
  await server.ingest('pictures', connection, [{ data }])
  const { body } = await server.json('/v1/streams/pictures/records')
  assert.deepEqual(body.data[0].data, data)
  const change = { ...data, caption: `DATA:;base64,${PICTURE.toString('base64')}` }
  const changed = await server.ingest('pictures', connection, [{ data: change }])
  assert.equal(changed.body.updated, 1)
  const after = await server.json('/v1/streams/pictures/records')
  assert.equal(after.body.data[0].data.caption.blob_id, PICTURE_REFERENCE.blob_id)
  assert.equal(after.body.data[0].data.caption.mime_type, 'application/octet-stream')
  assert.equal(after.body.data[0].title, null)
  assert.deepEqual(server.failures, [])
})
