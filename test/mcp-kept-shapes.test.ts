import assert from 'node:assert/strict'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { mcpPost } from './mcp-post.ts'

onEitherEngine(
  "RC-2 a stream's declaration is requested once per token, and again when it changes",
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX, 'Inbox')
    await server.ingest('messages', connection, [message('m1', { subject: 'Tides', body: 'High at noon.' })])
    const [all, narrow] = [await server.grant(), await server.grant({ fields: ['id', 'subject'] })]
    const call = { name: 'fetch', arguments: { id: `${connection}/messages:m1` } }
    const fetched = async (token: string): Promise<string> => {
      const init = mcpPost('tools/call', call, { Host: 'footnote.test' })
      const text = await (await server.request('/mcp', { token, ...init })).text()
      const [answer = ''] = /^\{.*\}$/m.exec(text.replace(/^data: /m, '')) ?? []
      return JSON.parse(answer).result.structuredContent.text
    }
    const routes = async () => {
      const { body } = await server.json('/v1/owner/disclosures?limit=100')
      return (body.data as { route: string }[]).map(({ route }) => route)
    }
    const schemas = async () => (await routes()).filter(route => route === 'GET /v1/schema').length

    const whole = await fetched(all)
    assert.match(whole, /^subject: Tides\nbody: High at noon\.$/m)
    await fetched(all)
    const [asked, lines] = [await schemas(), (await routes()).length]
    assert.equal(await fetched(all), whole)
    assert.equal(await schemas(), asked)
    assert.equal((await routes()).length, lines + 1, 'the record that was read has its line')

    assert.equal(await fetched(narrow), 'id: m1\nsubject: Tides')
    assert.equal(await schemas(), asked + 1, 'another token asks for itself')
    assert.equal(await fetched(all), whole)
    assert.equal(await schemas(), asked + 1)

    const later = { ...MAILBOX, declaration_version: '1.1.0' }
    assert.equal((await server.post('/v1/owner/declarations', later)).status, 201)
    assert.equal(await fetched(all), whole)
    assert.equal(await schemas(), asked + 2, 'nothing is kept across a change')
  },
)
