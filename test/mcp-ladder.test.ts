import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type Engine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'
import { callsIn, idsIn, McpTestClient, type Seen } from './mcp-client.ts'

const BODY = Array.from({ length: 3_000 }, (_, i) => `line ${i} 😀`).join('\n')

async function library(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX, 'Mail')
  const bytes = Buffer.from('not really a picture')
  const blob = await server.upload(bytes, 'image/png')
  const large = await server.upload(Buffer.alloc(1024 * 1024 + 1, 7), 'application/zip')
  const attachment = (id: string, mime_type: string, size_bytes: number) => ({
    blob_id: id,
    mime_type,
    size_bytes,
  })
  await server.ingest('messages', connection, [
    message('long', { body: BODY, parts: [{ text: 'n'.repeat(9_000) }, { text: 'short' }] }),
    message('small', { body: 'all of it' }),
    message('image', {
      parts: [
        attachment(blob, 'image/png', bytes.length),
        attachment(large, 'application/zip', 1024 * 1024 + 1),
      ],
      body: `data:image/png;base64,${'QUJD'.repeat(300)}`,
    }),
    message('again', { parts: [attachment(blob, 'image/png', bytes.length)] }),
    message('wide', {
      parts: Array.from({ length: 30 }, (_, i) => ({ text: `${i} ${'w'.repeat(800)}` })),
    }),
  ])
  const client = await McpTestClient.connect(server, await server.grant())
  return { server, connection, client, blob, large }
}

/** Makes a call and asserts that it continues exactly where the preview ended. */
async function assertContinues(
  client: McpTestClient,
  call: { args: Record<string, unknown> },
  whole: string,
): Promise<void> {
  const { window } = (await client.call('read_record_field', call.args)).structured
  assert.equal(window.start_chars, call.args.offset_chars)
  assert.equal(Array.from(whole).slice(window.start_chars, window.end_chars).join(''), window.text)
}

onEitherEngine(
  'LA-1 LA-2 LA-3 LA-4 everything cut in fetch or a list, including nested texts, has the call that continues it',
  async engine => {
    const { server, connection, client } = await library(engine)
    await using _ = server
    const id = `${connection}/messages:long`
    const fetched = await client.call('fetch', { id })
    assert.equal(fetched.structured.metadata.complete, false)
    const rung = fetched.structured.content_ladder.records[0]
    assert.deepEqual(
      [rung.id, rung.connection_id, rung.stream, rung.record_id],
      [id, connection, 'messages', 'long'],
    )
    const fields = new Map<string, Seen['structured']>(
      rung.fields.map((field: { path: string }) => [field.path, field]),
    )
    assert.deepEqual([...fields.keys()].sort(), ['/parts/0/text', 'body'])
    for (const [path, whole] of [
      ['body', BODY],
      ['/parts/0/text', 'n'.repeat(9_000)],
    ] as const) {
      const field = fields.get(path)
      assert.equal(field.size_chars, Array.from(whole).length)
      assert.deepEqual([field.type, field.text_like, field.status], ['string', true, 'truncated'])
      assert.match(field.digest, /^sha256:/)
      assert.equal(field.size_grade, 'medium')
      await assertContinues(client, field.read, whole)
    }
    assert.deepEqual(JSON.parse(fetched.text), fetched.structured)

    const listed = await client.call('query_records', {
      stream: 'messages',
      limit: 2,
      filter: { id: 'long' },
    })
    const [row] = listed.structured.content_ladder.records
    for (const field of row.fields)
      await assertContinues(client, field.read, field.path === 'body' ? BODY : 'n'.repeat(9_000))
    const shown = /body "((?:\\.|[^"\\])*)…" \(0-(\d+) of (\d+); read_record_field (\{[^}]*\})\)/.exec(
      listed.text,
    )
    assert.ok(shown, listed.text)
    assert.equal(Number(shown[3]), Array.from(BODY).length)
    assert.equal(Array.from(JSON.parse(`"${shown[1]}"`)).length, Number(shown[2]))
    const call = callsIn(listed.text).find(({ tool }) => tool === 'read_record_field')
    assert.ok(call)
    assert.equal(call.args.id, idsIn(listed.text)[0])
    await assertContinues(client, call, BODY)
  },
)

onEitherEngine(
  'LA-2 AN-63 at most twelve fields of a record are in the ladder; the rest are counted and share one call',
  async engine => {
    const { server, connection, client } = await library(engine)
    await using _ = server
    const { structured } = await client.call('query_records', { stream: 'messages', filter: { id: 'wide' } })
    const [rung] = structured.content_ladder.records
    assert.equal(rung.record_id, 'wide')
    assert.equal(rung.fields.length, 12)
    assert.equal(rung.more_fields, 18)
    const { tool, args } = rung.read_more
    assert.deepEqual(
      [tool, args],
      ['read_record_field', { id: `${connection}/messages:wide`, field_path: 'parts' }],
    )
    assert.equal((await client.call(tool, args)).structured.field.mime_type, 'application/json')
    assert.equal(rung.id, `${connection}/messages:wide`)
  },
)

onEitherEngine(
  'AN-63 LA-2 wide records name the rest in one call, cut titles are marked, and MIME types are shown',
  async engine => {
    await using server = await TestServer.start(engine)
    const names = Array.from({ length: 20 }, (_, i) => `text, ${i}`)
    const properties = Object.fromEntries(
      names.map((name, i) => [
        name,
        { type: 'string', ...(i === 0 && { contentMediaType: 'text/markdown' }) },
      ]),
    )
    const title = { type: 'string', x_pdpp_role: 'primary-title' }
    const connection = await server.connect({
      ...source('wide'),
      streams: [
        stream('wide', { title, ...properties }, { query: { search: { lexical_fields: ['text, 0'] } } }),
      ],
    } as never)
    const texts = Object.fromEntries(names.map(name => [name, `heron ${name} `.repeat(1_000)]))
    await server.ingest('wide', connection, [{ data: { id: 'w', title: 'A title '.repeat(100), ...texts } }])
    await using client = await McpTestClient.connect(server, await server.grant())
    const listed = await client.call('query_records', { stream: 'wide' })
    const fetched = await client.call('fetch', { id: `${connection}/wide:w` })
    for (const { structured, text } of [listed, fetched]) {
      const [rung] = structured.content_ladder.records
      const markdown = rung.fields.find(({ path }: { path: string }) => path === 'text, 0')
      assert.equal(markdown.mime_type, 'text/markdown')
      const shown = new Set(rung.fields.map(({ path }: { path: string }) => path))
      const { tool, args } = rung.read_more
      assert.equal(rung.more_fields, 21 - shown.size)
      const more = await client.call(tool, args)
      assert.ok(!more.isError, more.text)
      for (const name of names.filter(each => !shown.has(each)))
        assert.ok(more.structured.text.includes(`heron ${name}`), name)
      const [result = structured] = structured.results ?? []
      assert.match(result.title, /…$/)
      assert.ok(text.includes('…'))
    }
    const found = await client.call('search', { query: 'heron' })
    assert.match(found.structured.results[0].title, /…$/)
    assert.equal(found.structured.content_ladder.records[0].fields[0].mime_type, 'text/markdown')
  },
)

onEitherEngine(
  'LA-5 small reads are inline, with no link and no window URI in either channel',
  async engine => {
    const { server, connection, client } = await library(engine)
    await using _ = server
    const id = `${connection}/messages:small`
    const calls: [string, Record<string, unknown>][] = [
      ['read_record_field', { id, field_path: 'body' }],
      ['read_record_field', { id: `${connection}/messages:long`, field_path: 'body' }],
      ['fetch', { id, fields: ['subject', 'body'] }],
      ['fetch', { id: `${connection}/messages:long` }],
      ['search', { query: 'line' }],
    ]
    for (const [tool, args] of calls) {
      const { result } = await client.call(tool, args)
      assert.deepEqual(
        result.content.map((block: { type: string }) => block.type),
        ['text'],
      )
      assert.ok(!JSON.stringify([result.content, result.structuredContent]).includes('pdpp://field-window'))
    }
    const small = await client.call('fetch', { id, fields: ['subject', 'body'] })
    assert.equal(small.structured.metadata.complete, true)
    assert.equal(small.structured.content_ladder, undefined)
    assert.equal(small.structured.text, 'id: small\nsubject: Subject small\nbody: all of it')
  },
)

onEitherEngine(
  'LA-6 LA-8 RC-1 a binary field gives type, size, digest and links; bytes come by resource up to 1 MiB',
  async engine => {
    const { server, connection, client, blob, large } = await library(engine)
    await using _ = server
    const id = `${connection}/messages:image`
    // Base64 in a text field is stored as the bytes that it encodes.
    const bytes = Buffer.from('ABC'.repeat(300))
    const encoded = `pdpp://blob/sha256-${createHash('sha256').update(bytes).digest('hex')}`
    for (const [tool, args] of [
      ['fetch', { id }],
      ['query_records', { stream: 'messages', filter: { id: 'image' } }],
      // Two records have the same picture.
      ['query_records', { stream: 'messages', filter: { id: ['image', 'again'] } }],
    ] as const) {
      const { result, structured, text } = await client.call(tool, args)
      assert.ok(!JSON.stringify([text, structured]).includes('QUJDQUJD'), `${tool} inlines base64`)
      const [{ fields }] = structured.content_ladder.records.filter((each: { id: string }) => each.id === id)
      const image = fields.find((field: { path: string }) => field.path === '/parts/0')
      assert.deepEqual(
        [image.mime_type, image.size_bytes, image.text_like, image.status, image.resource],
        ['image/png', 20, false, 'binary-only', `pdpp://blob/${blob}`],
      )
      assert.equal(image.digest, `sha256:${blob.slice('sha256-'.length)}`)
      assert.match(image.export_url, /^https?:.*\/v1\/blobs\/sha256-/)
      assert.deepEqual(
        result.content
          .slice(1)
          .map((block: { type: string; uri: string; mimeType: string; size: number }) => [
            block.type,
            block.uri,
            block.mimeType,
            block.size,
          ]),
        [
          ['resource_link', `pdpp://blob/${blob}`, 'image/png', 20],
          ['resource_link', `pdpp://blob/${large}`, 'application/zip', 1024 * 1024 + 1],
          ['resource_link', encoded, 'image/png', 900],
        ],
      )
    }
    const [content] = (await client.read(`pdpp://blob/${blob}`)).contents
    assert.equal(content.mimeType, 'image/png')
    assert.equal(Buffer.from(content.blob, 'base64').toString(), 'not really a picture')
    await assert.rejects(client.read(`pdpp://blob/${large}`), /blob_too_large: .*\/v1\/blobs\/sha256-/)
  },
)

onEitherEngine(
  'RC-2 RC-3 a record resource is the same document as fetch; missing or forbidden records are protocol errors',
  async engine => {
    const { server, connection, client } = await library(engine)
    await using _ = server
    const id = `${connection}/messages:long`
    const uri = `pdpp://record/${encodeURIComponent(id)}`
    const [content] = (await client.read(uri)).contents
    assert.deepEqual(JSON.parse(content.text), (await client.call('fetch', { id })).structured)
    assert.deepEqual(
      (await client.client.listResourceTemplates()).resourceTemplates.map(each => each.uriTemplate),
      ['record', 'field-window', 'conversation', 'blob'].map(kind => `pdpp://${kind}/{handle}`),
    )
    const before = client.requests.length
    for (const bad of [
      'pdpp://record/%',
      'pdpp://field-window/xyz',
      'pdpp://field-window/a/b',
      'pdpp://blob/a/b',
    ]) {
      await assert.rejects(client.read(bad), { code: -32602 })
    }
    await assert.rejects(client.read('pdpp://nothing/x'), { code: -32602 })
    for (const kind of ['record', 'conversation'])
      await assert.rejects(client.read(`pdpp://${kind}/${id}`), /percent-encoded result id such as \w+%2F/)
    assert.equal(client.requests.length, before)
    const narrow = await McpTestClient.connect(
      server,
      await server.grant({ streams: ['messages'], fields: ['id', 'subject'] }),
    )
    const meta = (await client.call('read_record_field', { id, field_path: 'body' })).result._meta[
      'footnote/window'
    ]
    await assert.rejects(narrow.read(meta.uri), { code: -32602, message: /field_not_granted/ })
    await assert.rejects(
      narrow.read(`pdpp://record/${encodeURIComponent(`${connection}/notes:x`)}`),
      /grant_stream_not_allowed/,
    )
    await assert.rejects(
      client.read(`pdpp://record/${encodeURIComponent(`${connection}/messages:none`)}`),
      /not_found/,
    )
    await server.ingest('messages', connection, [message('long', { body: 'another text' })])
    await assert.rejects(client.read(meta.next_uri), /stale_cursor/)
  },
)

onEitherEngine(
  'LA-2 a text that only the adapter cuts has the media type that its stream declares',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const long = 'x'.repeat(500)
    const rows = Array.from({ length: 10 }, (_, i) =>
      message(`m${i}`, { subject: long, body: long, from: long }),
    )
    const wide = message('wide', { body: '山'.repeat(4_000) })
    await server.ingest('messages', connection, [...rows, wide])
    await using client = await McpTestClient.connect(server, await server.grant())
    const typeOf = ({ structured }: Seen, record: number) => {
      const { fields } = structured.content_ladder.records[record]
      const field = fields.find(({ path }: { path: string }) => path === 'body')
      return [
        field.status,
        field.mime_type,
        'mime_type' in fields.find((each: { path: string }) => each !== field),
      ]
    }
    const page = await client.call('query_records', { stream: 'messages', order: 'asc' })
    assert.equal(page.structured.data.data[0].data.body.length, 200)
    assert.deepEqual(typeOf(page, 0), ['truncated', 'text/plain', false])
    const { structured } = await client.call('fetch', { id: `${connection}/messages:wide` })
    const [field] = structured.content_ladder.records[0].fields
    assert.deepEqual([field.path, field.mime_type], ['body', 'text/plain'])
    assert.ok(field.end_chars < 4_000)
  },
)

onEitherEngine('BU-4: a record with many short values is complete', async engine => {
  await using server = await TestServer.start(engine)
  const declared = structuredClone(MAILBOX)
  const [stream] = declared.streams
  const names = Array.from({ length: 24 }, (_, i) => `mark_${i}`)
  Object.assign(
    stream?.schema.properties ?? {},
    Object.fromEntries(names.map(name => [name, { type: 'string' }])),
    { body: { type: 'string', x_pdpp_role: 'primary-text' } },
  )
  const connection = await server.connect(declared)
  const marks = Object.fromEntries(names.map(name => [name, `${name}!`]))
  await server.ingest('messages', connection, [message('a', { body: 'a heron', ...marks })])
  await using client = await McpTestClient.connect(server, await server.grant())
  const { structured } = await client.call('fetch', { id: `${connection}/messages:a` })
  const { complete, read, fields } = structured.metadata
  assert.deepEqual([complete, read, fields.mark_23], [true, undefined, 'mark_23!'])
})
