import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { Asking, AuthorizationWorld, type Visitor } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'
import { ERAS, type Era, errorIn, type Loose } from './mcp-client.ts'
import { httpTransport, stdioTransport, type TransportName } from './mcp-connections.ts'

/** A client that shows a link to the person on request; `open` does what the person would do with it. */
async function connect(
  world: AuthorizationWorld,
  token: string,
  era: Era,
  open?: (url: string) => Promise<string>,
  transport: TransportName = 'http',
  name = 'asker',
) {
  const pin = era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : {}
  const can = open ? { capabilities: { elicitation: { url: {} } } } : {}
  const client = new Client({ name, version: '1' }, { ...pin, ...can })
  if (open)
    client.setRequestHandler('elicitation/create', async ({ params }: Loose) => {
      assert.equal(params.mode, 'url')
      assert.match(params.message, /more than you have allowed/)
      return { action: await open(params.url) } as Loose
    })
  await client.connect(
    transport === 'http' ? httpTransport(world.url, token) : stdioTransport(world.url, token),
  )
  const ask = async (stream: string): Promise<Loose> =>
    client.callTool({ name: 'query_records', arguments: { stream } })
  return { ask, [Symbol.asyncDispose]: () => client.close() }
}

/** A world whose app may read the messages of one mailbox but not its notes. */
async function narrow(
  world: AuthorizationWorld,
): Promise<{ owner: Visitor; client_id: string; access_token: string }> {
  const connection = await world.mailbox('Work mail')
  await world.ingest('notes', connection, [{ data: { id: 'n1', text: 'buy milk' } }])
  const owner = await world.signedIn()
  const { client_id } = (await world.register()).body
  const asking = new Asking(world, client_id)
  const page = await asking.open(owner)
  const notes = /name="(share:[^"]*notes[^"]*)"/.exec(page.html)?.[1] ?? ''
  const { body } = await asking.redeem(await asking.approve(owner, page, { [notes]: 'none' }))
  return { owner, client_id, access_token: body.access_token }
}

onEitherEngine(
  'HO-9 a refused stream names the page where the owner can allow exactly that',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const { owner, client_id, access_token } = await narrow(world)
    for (const era of ERAS) {
      await using client = await connect(world, access_token, era)
      const refused = async (stream: string) => {
        const { isError, content } = await client.ask(stream)
        assert.equal(isError, true)
        const { request_id: _, ...error } = errorIn(content[0].text)
        return { error, text: content[0].text as string }
      }
      const { error, text } = await refused('notes')
      assert.equal(error.code, 'grant_stream_not_allowed')
      assert.equal(error.owner_page, `${world.url}/apps/${client_id}/wants?stream=notes`)
      assert.ok(text.split('{"error"')[0]?.includes(error.owner_page), 'the sentence names it')
      const missing = await refused('never_heard_of')
      const alike = JSON.parse(JSON.stringify(missing.error).replaceAll('never_heard_of', 'notes'))
      assert.deepEqual(alike, error, 'a stream that does not exist looks the same')
    }

    const page = await owner.get(`/apps/${client_id}/wants?stream=notes`)
    assert.match(page.html, /Test app wants to read notes</)
    assert.match(page.html, new RegExp(`href="/apps/${client_id}">Don’t allow<`))
    assert.match(page.html, /Work mail <span class="soft">1 record/)
    const none = await owner.get(`/apps/${client_id}/wants?stream=never_heard_of`)
    assert.match(none.html, /You have nothing of this kind/)
    assert.doesNotMatch(none.html, /Let it read this/)
    const hostile = await owner.get(
      `/apps/${client_id}/wants?stream=${encodeURIComponent('<script>alert(1)</script>')}`,
    )
    assert.doesNotMatch(hostile.html, /<script>alert/)
    assert.equal((await owner.get('/apps/cli_none/wants?stream=notes')).status, 404)
    const cut = await owner.get(`/apps/${client_id}/wants?stream=`)
    assert.equal(new URL(cut.url).pathname, `/apps/${client_id}`)
    await owner.submit(page, {})
    const { body } = await world.call('/v1/streams', access_token)
    assert.deepEqual(body.data.map(({ name }: { name: string }) => name).sort(), ['messages', 'notes'])
    const after = await owner.get(`/apps/${client_id}/wants?stream=notes`)
    assert.match(after.html, /can already read everything you have of this kind/)
  },
)

onEitherEngine(
  'HO-9 a client that can show links sends the owner there and gets its answer',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const { owner, client_id, access_token } = await narrow(world)
    const opened: string[] = []
    const answer = { action: 'decline' }
    await using client = await connect(world, access_token, '2026-07-28', async url => {
      opened.push(url)
      if (answer.action === 'accept') {
        const { pathname, search } = new URL(url)
        await owner.submit(await owner.get(pathname + search), {})
      }
      return answer.action
    })
    for (const stream of ['notes', 'never_heard_of']) {
      const declined = await client.ask(stream)
      assert.equal(errorIn(declined.content[0].text).code, 'grant_stream_not_allowed')
      assert.equal(opened.pop(), `${world.url}/apps/${client_id}/wants?stream=${stream}`)
      assert.equal(opened.length, 0, 'asked once')
    }
    answer.action = 'accept'
    const allowed = await client.ask('notes')
    assert.notEqual(allowed.isError, true)
    assert.match(allowed.content[0].text, /buy milk/)
    assert.equal(opened.length, 1)
    await client.ask('messages')
    assert.equal(opened.length, 1, 'what is granted asks nothing')
  },
)

test('HO-9 the refusal names the page if nobody can be asked: older versions over HTTP, newer ones over stdio', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const { client_id, access_token } = await narrow(world)
  const page = `${world.url}/apps/${client_id}/wants?stream=notes`
  for (const [transport, era, opens] of [
    ['http', '2025-11-25', []],
    ['stdio', '2025-11-25', [page]],
    ['stdio', '2026-07-28', []],
  ] as const) {
    const opened: string[] = []
    const decline = async (url: string) => {
      opened.push(url)
      return 'decline'
    }
    await using client = await connect(world, access_token, era, decline, transport)
    const { isError, content } = await client.ask('notes')
    const told = `${transport} ${era}: ${content[0].text}`
    assert.equal(isError, true, told)
    assert.equal(errorIn(content[0].text).owner_page, page, told)
    assert.ok(content[0].text.split('{"error"')[0].includes(page), told)
    assert.deepEqual(opened, opens, told)
  }
})

test('HO-9 a client that drops answers with a link gets the refusal itself', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const { access_token } = await narrow(world)
  const open = () => assert.fail('it is not asked')
  for (const era of ERAS) {
    await using client = await connect(world, access_token, era, open, 'http', 'copilot-cli')
    const { isError, content } = await client.ask('notes')
    assert.equal(isError, true)
    assert.equal(errorIn(content[0].text).code, 'grant_stream_not_allowed')
  }
})
