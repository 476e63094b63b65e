import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Engine, onEachEngine, onEitherEngine, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { mcpPost } from './mcp-post.ts'
import { processorTime } from './processor-time.ts'
import { eventually } from './stub-provider.ts'

/** A text that takes long to search: it has hundreds of pieces, and none contains the word. */
const LONG = 'one two three four five six seven eight nine ten eleven twelve '.repeat(50_000)

async function withLongText(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('long', { body: LONG })])
  await server.ingest('messages', connection, [message('short', { body: 'a walrus' })])
  const record = encodeURIComponent(`${connection}/messages:long`)
  const slow = `/v1/search?q=walrus&record=${record}`
  // Its words are in every piece, the phrase in none.
  const slower = `/v1/search?q=%22one%20three%22&record=${record}`
  // The first search starts the thread.
  await server.json('/v1/search?q=walrus')
  return { server, slow, slower }
}

onEachEngine('a long search of one client does not hold up another client', async engine => {
  const { server, slow } = await withLongText(engine)
  await using _ = server
  const [greedy, modest] = [await server.grant({ client_name: 'Greedy' }), await server.grant()]
  const order: string[] = []
  const long = server.json(slow, { token: greedy }).then(answer => {
    order.push('long')
    return answer
  })
  await sleep(20)
  const short = server.json('/v1/search?q=walrus', { token: modest }).then(answer => {
    order.push('short')
    return answer
  })
  const answers = await Promise.all([long, short])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(order, ['short', 'long'])
})

onEachEngine('a client with too many searches waiting gets 429, and others are served', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m', { body: 'a walrus' })])
  const [greedy, modest] = [await server.grant({ client_name: 'Greedy' }), await server.grant()]
  const search = (token: string) => server.json('/v1/search?q=walrus', { token })
  await search(greedy)
  const flood = Array.from({ length: 60 }, () => search(greedy))
  const other = await search(modest)
  const answers = await Promise.all(flood)
  const refused = answers.filter(({ status }) => status !== 200)
  assert.ok(refused.length > 0 && refused.length < 60, `${refused.length} of 60 were refused`)
  for (const answer of refused) {
    assert.deepEqual([answer.status, answer.body.error.code], [429, 'rate_limit_exceeded'])
    assert.ok(Number(answer.headers.get('Retry-After')) > 0)
  }
  assert.equal(other.status, 200)
  assert.equal((await search(greedy)).status, 200, 'places are given back')
})

onEachEngine('a search ends when its client leaves', async engine => {
  const { server, slower } = await withLongText(engine)
  await using _ = server
  const timed = async (signal?: AbortSignal): Promise<[Answer, number]> => {
    const spent = processorTime()
    return [await server.json(slower, signal ? { signal } : {}), spent()]
  }
  const [, whole] = await timed()
  const [answer, part] = await timed(AbortSignal.timeout(Math.ceil(Math.min(50, whole / 4))))
  assert.deepEqual([answer.status, answer.body.error.code], [422, 'budget_exceeded'])
  assert.ok(part < whole / 2, `${part} of ${whole} ms`)
})

onEachEngine('the number of conditions of a request is bounded', async engine => {
  await using server = await TestServer.start(engine)
  await server.connect(MAILBOX)
  const conditions = (count: number) =>
    Array.from({ length: count }, (_, n) => `where[received_at][gte]=2026-01-01T00:00:${n + 10}Z`).join('&')
  assert.equal((await server.json(`/v1/streams/messages/records?${conditions(20)}`)).status, 200)
  for (const path of ['/v1/streams/messages/records?', '/v1/search?q=x&streams=messages&']) {
    const { status, body } = await server.json(path + conditions(21))
    assert.deepEqual([status, body.error.code, body.error.param], [400, 'invalid_request', 'where'])
  }
})

onEitherEngine('HO-1 a search ends when the tool call that asked for it is cancelled', async engine => {
  const { server } = await withLongText(engine)
  await using _ = server
  const { scanner } = server.store
  const scan = scanner.scan.bind(scanner)
  const controller = new AbortController()
  let search: AbortSignal | undefined
  scanner.scan = (name, args, options) => {
    search = options.signal
    return scan(name, args, options)
  }
  const args = { name: 'search', arguments: { query: 'walrus' } }
  const init = mcpPost('tools/call', args, { Host: new URL(PUBLIC_URL).host })
  await server.request('/mcp', { ...init, token: await server.grant(), signal: controller.signal })
  await eventually(() => search !== undefined, 'the search begins')
  controller.abort()
  await eventually(() => search?.aborted === true, 'it is cancelled')
})
