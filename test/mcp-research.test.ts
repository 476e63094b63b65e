import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Asking, AuthorizationWorld } from './authorization-world.ts'
import { onEitherEngine, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { bytes, ERAS, type Era, errorIn, type Loose } from './mcp-client.ts'
import { mcpPost } from './mcp-post.ts'

const ADDRESS = new URL('/mcp/research', PUBLIC_URL)
const SENTENCE = 'The quetzalcoatlus treaty was signed in Łódź 😀 at noon.'
const line = (n: number) => `${String(n).padStart(8, '0')} maple über 山川 lantern fjord sarabande\n`

/** A text in which every line is different, with the sentence 800,000 characters into it. */
const LONG = (() => {
  const lines = Array.from({ length: 24_000 }, (_, n) => line(n)).join('')
  const chars = Array.from(lines)
  return [...chars.slice(0, 800_000), ...SENTENCE, ...chars.slice(800_000)]
})()

/** A client that uses two tools, and checks that both channels agree. */
class Researcher implements AsyncDisposable {
  readonly client: Client

  private constructor(client: Client) {
    this.client = client
  }

  static async connect(server: TestServer, token: string, era: Era = '2026-07-28'): Promise<Researcher> {
    const transport = new StreamableHTTPClientTransport(ADDRESS, {
      requestInit: { headers: { Authorization: `Bearer ${token}`, Host: ADDRESS.host } },
      fetch: (url, init) => server.request(new URL(url).pathname, { ...init, token: null }),
    })
    const mode = era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : {}
    const client = new Client({ name: 'research', version: '1' }, mode)
    await client.connect(transport)
    await client.listTools()
    return new Researcher(client)
  }

  async call(name: 'search' | 'fetch', args: Record<string, unknown>): Promise<Loose> {
    const result: Loose = await this.client.callTool({ name, arguments: args })
    assert.equal(result.content.length, 1)
    if (result.isError) return { error: errorIn(result.content[0].text) }
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent)
    assert.ok(bytes(result.content[0].text) <= 12_000, `${bytes(result.content[0].text)} bytes`)
    return result.structuredContent
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close()
  }
}

onEitherEngine(
  'CL-6 with only search and fetch, a client quotes a passage 800,000 characters deep and reads on in both directions',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX, 'Work mail')
    await server.ingest('messages', connection, [
      message('o1', { subject: 'Minutes', body: LONG.join('') }),
      message('o2', { subject: 'A treaty', body: 'about nothing' }),
    ])
    const token = await server.grant({ streams: ['messages'] })
    for (const era of ERAS) {
      await using client = await Researcher.connect(server, token, era)
      const { results } = await client.call('search', { query: 'quetzalcoatlus treaty Łódź' })
      for (const result of results) {
        assert.deepEqual(Object.keys(result), ['id', 'title', 'url'])
        assert.match(result.url, /^http:\/\/footnote\.test\/r\//)
      }
      const [hit] = results
      assert.match(hit.id, /^cin_\w+\/messages:o1#body@8000\d\d$/)
      assert.equal(hit.title, 'Minutes – ada@example.org, Work mail, 2026-01-02')
      const found = await client.call('fetch', { id: hit.id })
      assert.deepEqual(Object.keys(found).sort(), ['id', 'metadata', 'text', 'title', 'url'])
      assert.equal(found.id, hit.id)
      assert.equal(found.title, 'Minutes')
      assert.ok(found.text.includes(SENTENCE))
      const { start_chars, end_chars, size_chars, complete } = found.metadata
      assert.equal(complete, false)
      assert.equal(size_chars, LONG.length)
      assert.equal(found.text, LONG.slice(start_chars, end_chars).join(''))
      assert.equal(new URL(found.url).searchParams.get('at'), `${start_chars}-${end_chars}`)
      assert.equal(found.metadata.fields.from, 'ada@example.org')

      const next = await client.call('fetch', { id: found.metadata.next_id })
      const previous = await client.call('fetch', { id: found.metadata.previous_id })
      assert.equal(next.metadata.start_chars, end_chars)
      assert.equal(previous.metadata.end_chars, start_chars)
      const { start_chars: from } = previous.metadata
      const { end_chars: to } = next.metadata
      assert.equal(previous.text + found.text + next.text, LONG.slice(from, to).join(''))
      const back = await client.call('fetch', { id: next.metadata.previous_id })
      assert.equal(back.text, found.text)
    }
    const { body } = await server.json('/v1/owner/disclosures')
    const shown = JSON.stringify(body.data)
    assert.match(shown, /o1/, 'the ledger has what was read')
  },
)

onEitherEngine('both ends of a long text have no neighbour, and its parts leave no gap', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const scripts = ['plain words here\n', '山川草木風花雪月', '😀👩‍👩‍👧‍👦', '"\\\n\t\u0001']
  const bodies = scripts.map(script => Array.from(script.repeat(2_000)).slice(0, 9_000))
  await server.ingest(
    'messages',
    connection,
    bodies.map((body, n) => message(`s${n}`, { body: body.join('') })),
  )
  await using client = await Researcher.connect(server, await server.grant())
  for (const [n, body] of bodies.entries()) {
    let id: string | null = `${connection}/messages:s${n}#body@0`
    let joined = ''
    for (let steps = 0; id !== null && steps < 40; steps++) {
      const part: Loose = await client.call('fetch', { id })
      assert.equal(part.metadata.previous_id === null, steps === 0)
      joined += part.text
      id = part.metadata.next_id
    }
    assert.equal(joined, body.join(''), scripts[n])
  }
})

onEitherEngine('a short record is returned whole; what does not fit of a wide one has ids', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const parts = Array.from({ length: 900 }, (_, n) => ({ text: `part ${n} of many` }))
  await server.ingest('messages', connection, [
    message('short', { body: 'a pelican crossed the road' }),
    message('wide', { body: 'x'.repeat(20_000), parts, secret: 'y'.repeat(20_000) }),
  ])
  await using client = await Researcher.connect(server, await server.grant())
  const { results } = await client.call('search', { q: 'pelican' })
  assert.equal(results[0].id, `${connection}/messages:short`)
  const whole = await client.call('fetch', { id: results[0].id })
  assert.equal(whole.metadata.complete, true)
  assert.equal(whole.metadata.next_id, null)
  assert.match(whole.text, /a pelican crossed the road/)
  const around = await client.call('fetch', { id: `${results[0].id}#body@2` })
  assert.deepEqual({ ...around, id: whole.id }, whole)

  const wide = await client.call('fetch', { id: `${connection}/messages:wide` })
  assert.equal(wide.metadata.complete, false)
  const ids = [wide.metadata.next_id, ...wide.metadata.more_ids]
  for (const field of ['body', 'parts', 'secret']) {
    const id = ids.find(each => each.includes(`#${field}@`))
    const part = await client.call('fetch', { id })
    assert.equal(part.metadata.field, field)
    assert.ok(part.text.length > 500)
  }
  assert.doesNotMatch(JSON.stringify(wide), /read_record_field/)
})

onEitherEngine(
  'an id is unambiguous whatever its characters, and an outdated place is reported',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const body = `${'filler '.repeat(1_000)}pelican ${'filler '.repeat(1_000)}`
    const names = ['a', 'a#body@3', 'a#b', 'x@7', '#@', 'né#body@1#body@2']
    await server.ingest(
      'messages',
      connection,
      names.map(name => message(name, { subject: `It is ${name}`, body })),
    )
    await using client = await Researcher.connect(server, await server.grant())
    const { results } = await client.call('search', { query: 'pelican' })
    assert.equal(results.length, names.length)
    for (const { id, title } of results) {
      const found = await client.call('fetch', { id })
      assert.ok(title.startsWith(`${found.title} – `), title)
      assert.match(found.text, /pelican/)
      const record = await client.call('fetch', { id: found.metadata.record_id })
      assert.equal(record.title, found.title)
    }
    const gone = await client.call('fetch', { id: `${connection}/messages:a#body@900000` })
    assert.match(gone.metadata.note, /^body has no character 900000; this is the start of the record/)
    assert.match(gone.text, /filler/)
    assert.ok(gone.metadata.next_id)
  },
)

onEitherEngine(
  'CL-6 results say who, where and when in the owner’s time zone, and days in a query are the owner’s',
  async engine => {
    await using server = await TestServer.start(engine, { timeZone: 'Asia/Tokyo' })
    const connection = await server.connect(MAILBOX, 'Work mail')
    await server.ingest('messages', connection, [
      message('o1', {
        subject: 'A heron\nat night',
        body: 'heron',
        from: 'Ada Lovelace <ada@example.org>',
        received_at: '2015-08-01T15:30:00Z',
      }),
      message('o2', { subject: 'Later', body: 'heron', received_at: '2015-08-02T15:30:00Z' }),
    ])
    await using client = await Researcher.connect(server, await server.grant())
    const { results } = await client.call('search', { query: 'heron on:2015-08-02' })
    assert.deepEqual(
      results.map(({ title }: Loose) => title),
      ['A heron at night – Ada Lovelace, Work mail, 2015-08-02'],
    )
    const first = await client.call('search', { query: 'the first mail about a heron' })
    assert.match(first.results[0].title, /^A heron at night/, 'in the order that the words ask for')
    const last = await client.call('search', { query: 'the last mail about a heron' })
    assert.match(last.results[0].title, /^Later/)
    const { metadata } = await client.call('fetch', { id: results[0].id })
    assert.deepEqual(
      [metadata.author, metadata.occurred_at],
      ['Ada Lovelace <ada@example.org>', '2015-08-02T00:30:00+09:00'],
    )
  },
)

onEitherEngine(
  'CL-6 other places of a long text are results too, after the records, and say who and when',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX, 'Work mail')
    const filler = ' filler'.repeat(6_000)
    const body = ['a pelican ate', 'a pelican slept', 'a pelican flew'].join(`${filler} `)
    await server.ingest('messages', connection, [
      message('long', { subject: 'Birds', body: `${filler} ${body}${filler}` }),
      message('short', { subject: 'Birds', body: 'a pelican' }),
    ])
    await using client = await Researcher.connect(server, await server.grant())
    const { results } = await client.call('search', { query: 'pelican' })
    const records = results.map(({ id }: Loose) => id.split('#')[0].split(':')[1])
    assert.deepEqual(records.slice(0, 2).sort(), ['long', 'short'])
    assert.deepEqual(records.slice(2), ['long', 'long'])
    const seen = new Set<string>()
    for (const { id, url } of results) {
      const { text, metadata } = await client.call('fetch', { id })
      seen.add(/pelican \w+/.exec(text)?.[0] ?? '')
      assert.match(url, /^http:\/\/footnote\.test\/r\//)
      assert.deepEqual([metadata.author, metadata.occurred_at], ['ada@example.org', '2026-01-02T03:04:05Z'])
    }
    for (const place of ['pelican ate', 'pelican slept', 'pelican flew']) assert.ok(seen.has(place), place)
  },
)

onEitherEngine('the same grant applies, and hidden records look like missing ones', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('o1', { subject: 'Open', body: `pelican ${'x '.repeat(3_000)}`, secret: 'heron' }),
    message('o2', { subject: 'Old pelican', body: 'pelican', received_at: '2001-01-01T00:00:00Z' }),
  ])
  const fields = ['id', 'subject', 'received_at']
  const token = await server.grant({ streams: ['messages'], fields, since: '2020-01-01T00:00:00Z' })
  await using client = await Researcher.connect(server, token)
  assert.deepEqual(await client.call('search', { query: 'pelican' }), { results: [] })
  const refused = async (id: string) => (await client.call('fetch', { id })).error.code
  assert.equal(await refused(`${connection}/messages:o1#body@0`), 'field_not_granted')
  assert.equal(await refused(`${connection}/messages:o2`), await refused(`${connection}/messages:none`))
  assert.equal(
    await refused(`${connection}/messages:o2#subject@0`),
    await refused(`${connection}/messages:none#subject@0`),
  )
})

onEitherEngine('HO-2 /mcp/research has two tools and its own metadata, for client tokens', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const metadata = '/.well-known/oauth-protected-resource/mcp/research'
  const post = (token: string | null) => world.call('/mcp/research', token, mcpPost('tools/list'))
  const refused = await post(null)
  assert.equal(refused.status, 401)
  assert.match(refused.headers.get('WWW-Authenticate') ?? '', new RegExp(`="${world.url}${metadata}"`))
  const resource = `${world.url}/mcp/research`
  assert.equal((await world.call(metadata, null)).body.resource, resource)
  assert.equal((await post(world.ownerToken)).body.error.code, 'client_token_required')

  const owner = await world.signedIn()
  const asking = new Asking(world, (await world.register()).body.client_id)
  const code = await asking.approve(owner, await asking.open(owner, { resource }))
  const { body } = await asking.redeem(code, { resource })
  const headers = { Authorization: `Bearer ${body.access_token}` }
  const transport = new StreamableHTTPClientTransport(new URL(resource), { requestInit: { headers } })
  const client = new Client({ name: 'research', version: '1' })
  await client.connect(transport)
  await using _ = { [Symbol.asyncDispose]: () => client.close() }
  const { tools } = await client.listTools()
  const inputs = tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})])
  assert.deepEqual(inputs, [
    ['search', ['query']],
    ['fetch', ['id']],
  ])
  for (const { title, annotations } of tools) assert.ok(title && annotations?.readOnlyHint)
  assert.equal(client.getServerCapabilities()?.resources, undefined)
})

onEitherEngine(
  'AN-24 CL-6 with only search and fetch, a query for the last mail is read as one',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [
      message('old', {
        from: 'Dirk',
        body: 'the last message: Dirk, Dirk',
        received_at: '2026-03-01T10:00:00Z',
      }),
      message('new', { from: 'Dirk', body: 'a boat', received_at: '2026-03-04T10:00:00Z' }),
    ])
    const idsFor = async (query: string, fields?: string[]) => {
      const token = await server.grant({ connections: [connection], ...(fields ? { fields } : {}) })
      await using client = await Researcher.connect(server, token)
      const { results } = await client.call('search', { query })
      return results.map(({ id }: { id: string }) => id.split(':')[1])
    }
    assert.deepEqual(await idsFor('last message from Dirk'), ['new', 'old'])
    assert.deepEqual(await idsFor('Dirk, last message'), ['old', 'new'])
    assert.deepEqual(await idsFor('last message from Dirk', ['id', 'body']), ['old'])
  },
)
