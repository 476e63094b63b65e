import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Ajv } from 'ajv'
import { APP_TOOLS } from '../src/mcp/apps.ts'
import { onEitherEngine, PROVING, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { ERAS, type Era, errorIn, type Loose } from './mcp-client.ts'
import { connectHttp, connectStdio } from './mcp-connections.ts'
import { mcpPost } from './mcp-post.ts'
import { servedMailbox } from './served-mailbox.ts'

const EXTENSION = 'io.modelcontextprotocol/ui'
const TYPE = 'text/html;profile=mcp-app'
const SHOWS_PAGES = { extensions: { [EXTENSION]: { mimeTypes: [TYPE] } } }
const SENTENCE = 'The treaty was signed in Łódź 😀 at noon.'
const BODY = `${'maple über 山川 😀 '.repeat(300)}${SENTENCE}${' lantern fjord'.repeat(300)}`
const START = Array.from(BODY.slice(0, BODY.indexOf(SENTENCE))).length
const END = START + Array.from(SENTENCE).length

const validate = new Ajv({ strict: false }).compile(APP_TOOLS[0]?.output ?? {})
const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

async function connect(server: TestServer, token: string, era: Era = '2026-07-28') {
  const pin = era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : {}
  const client = new Client({ name: 'host', version: '1' }, { ...pin, capabilities: SHOWS_PAGES })
  const address = new URL('/mcp', PUBLIC_URL)
  const transport = new StreamableHTTPClientTransport(address, {
    requestInit: { headers: { Authorization: `Bearer ${token}`, Host: address.host } },
    fetch: (url, init) => server.request(new URL(url).pathname, { ...init, token: null }),
  })
  await client.connect(transport)
  await client.listTools()
  const show = async (args: Record<string, unknown>): Promise<Loose> => {
    const result: Loose = await client.callTool({ name: 'show_evidence', arguments: args })
    assert.equal(result.content.length, 1)
    const [{ text }] = result.content
    if (result.isError) return { error: errorIn(text) }
    assert.ok(validate(result.structuredContent), JSON.stringify(validate.errors))
    return { ...result.structuredContent, told: text }
  }
  return { client, show, [Symbol.asyncDispose]: () => client.close() }
}

test('HO-10 both protocol eras list show_evidence over stdio and HTTP only for clients that show pages', async () => {
  await using mailbox = await servedMailbox('sqlite', [message('o1', { body: BODY })])
  const { url, token, connection } = mailbox
  const others = [
    {},
    { extensions: {} },
    { extensions: { 'com.example/other': {} } },
    { extensions: { [EXTENSION]: { mimeTypes: ['text/html'] } } },
  ]
  for (const era of ERAS) {
    await using plain = await connectHttp(url, token, era)
    const usual = await plain.client.listTools()
    assert.ok(usual.tools.every(({ name }) => name !== 'show_evidence'))
    for (const capabilities of others) {
      await using other = await connectHttp(url, token, era, capabilities)
      assert.deepEqual(await other.client.listTools(), usual, JSON.stringify(capabilities))
    }
    for (const open of PROVING || era === ERAS[0] ? [connectHttp, connectStdio] : [connectHttp]) {
      await using host = await open(url, token, era, SHOWS_PAGES)
      const { tools } = await host.client.listTools()
      assert.deepEqual(tools.slice(0, -1), usual.tools)
      const tool: Loose = tools.at(-1)
      assert.equal(tool.name, 'show_evidence')
      const uri: string = tool._meta.ui.resourceUri
      const page = (await host.client.readResource({ uri })).contents[0] as Loose
      assert.equal(page.mimeType, TYPE)
      assert.match(page.text, /^<!doctype html>/)
      assert.deepEqual(page._meta.ui.csp.connectDomains, [])
      const args = { id: `${connection}/messages:o1`, field_path: 'body', q: 'treaty' }
      const shown: Loose = await host.client.callTool({ name: 'show_evidence', arguments: args })
      assert.equal(shown.structuredContent.mark.text, 'treaty')
      assert.ok(host.client.getServerCapabilities()?.extensions?.[EXTENSION], 'the server declares it too')
    }
  }
})

onEitherEngine(
  'HO-10 the result of show_evidence is complete in the text and in structured content',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX, 'Work mail')
    await server.ingest('messages', connection, [
      message('o1', { subject: 'Minutes', body: BODY }),
      message('o2', { subject: 'Short', body: 'A short note.' }),
    ])
    const token = await server.grant({ streams: ['messages'] })
    const id = `${connection}/messages:o1`
    for (const era of ERAS) {
      await using host = await connect(server, token, era)
      const marked = await host.show({ id, field_path: 'body', start_chars: START, end_chars: END })
      const { passage, mark } = marked
      assert.deepEqual(mark, { start_chars: START, end_chars: END, text: SENTENCE })
      assert.equal(passage.start_chars, START - 600)
      assert.equal(passage.end_chars, END + 600)
      assert.equal(
        passage.text,
        Array.from(BODY)
          .slice(START - 600, END + 600)
          .join(''),
      )
      assert.equal(passage.digest, sha256(passage.text))
      assert.equal(passage.complete, false)
      assert.deepEqual(marked.field, { size_chars: Array.from(BODY).length, digest: sha256(BODY) })
      assert.equal(marked.title, 'Minutes')
      assert.equal(marked.source, 'Work mail')
      assert.equal(marked.author, 'ada@example.org')
      assert.match(marked.occurred_at, /^\d{4}-\d\d-\d\dT/)
      assert.equal(new URL(marked.url).searchParams.get('at'), `${START}-${END}`)
      const next: Loose = await host.client.callTool({ name: marked.next.tool, arguments: marked.next.args })
      assert.equal(next.structuredContent.window.start_chars, passage.end_chars)

      const [header = ''] = marked.told.split('\n')
      const { boundary, passage: range, ...told } = JSON.parse(header)
      const { told: _, passage: __, ...structured } = marked
      assert.deepEqual(told, structured)
      assert.deepEqual({ ...range, text: passage.text }, passage)
      assert.ok(marked.told.includes(`<<<${boundary}\n${passage.text}\n${boundary}>>>`))
      assert.ok(marked.told.endsWith(`Cite: ${marked.url}`))

      const found = await host.show({ id, field_path: 'body', q: 'ŁÓDŹ' })
      assert.equal(found.mark.text, 'Łódź')
      const short = await host.show({ id: `${connection}/messages:o2`, field_path: 'body' })
      assert.equal(short.mark, null)
      assert.equal(short.passage.complete, true)
      assert.equal(short.passage.digest, short.field.digest)
      assert.equal(short.next, undefined)
    }
  },
)

onEitherEngine('HO-10 show_evidence shows only what is granted, and the ledger records it', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const early = message('o1', {
    subject: 'Minutes',
    body: BODY,
    secret: 'hush',
    received_at: '2020-01-01T00:00:00Z',
  })
  await server.ingest('messages', connection, [early, message('o2', { subject: 'Later', body: 'seen' })])
  const grant = { streams: ['messages'], fields: ['id', 'body'] }
  await using host = await connect(server, await server.grant(grant))
  const id = `${connection}/messages:o1`
  const seen = await host.show({ id, field_path: 'body', q: 'treaty' })
  assert.doesNotMatch(seen.told, /Minutes|ada@example|2020-01-01|hush/)
  const refusal = async (args: Record<string, unknown>) => (await host.show({ id, ...args })).error
  const hidden = await refusal({ field_path: 'secret' })
  const missing = await refusal({ field_path: 'secrex' })
  assert.equal(hidden.code, missing.code, 'a hidden field and a missing one look the same')
  assert.equal((await refusal({ field_path: 'body', q: 'nowhere at all' })).code, 'query_not_found')
  for (const args of [
    { start_chars: 3 },
    { start_chars: 3, end_chars: 3 },
    { start_chars: 0, end_chars: 5_000 },
    { start_chars: 0, end_chars: 3, q: 'x' },
    { start_chars: 900_000, end_chars: 900_010 },
  ]) {
    const { code } = await refusal({ field_path: 'body', ...args })
    assert.equal(code, 'invalid_window', JSON.stringify(args))
  }
  assert.equal((await refusal({ id: `${connection}/messages:none`, field_path: 'body' })).code, 'not_found')
  const { body } = await server.json('/v1/owner/disclosures')
  assert.match(JSON.stringify(body.data), /o1/)
})

test('HO-10 a session id says only that the client shows pages, and no other client gets one', async () => {
  await using server = await TestServer.start('sqlite')
  await server.connect(MAILBOX)
  const token = await server.grant()
  const initialize = (capabilities: object, path = '/mcp') =>
    server.request(path, {
      token,
      ...mcpPost(
        'initialize',
        { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x', version: '1' } },
        { Host: new URL(PUBLIC_URL).host },
      ),
    })
  const sessionOf = async (answer: Promise<Response>) => {
    const response = await answer
    assert.equal(response.status, 200)
    await response.text()
    return response.headers.get('Mcp-Session-Id')
  }
  assert.match((await sessionOf(initialize(SHOWS_PAGES))) ?? '', /^apps-[\w-]{36}$/)
  assert.equal(await sessionOf(initialize({})), null)
  assert.equal(await sessionOf(initialize({ sampling: {} })), null)
  assert.equal(await sessionOf(initialize(SHOWS_PAGES, '/mcp/research')), null)
})
