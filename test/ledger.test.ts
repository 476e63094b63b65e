import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Params } from '../src/store/engine/database.ts'
import { readActivity } from '../src/store/ledger/activity.ts'
import { listDisclosures } from '../src/store/ledger/disclosures.ts'
import { type Answer, count, type Engine, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const LIST = '/v1/streams/messages/records'

interface Line {
  disclosure_id: string
  request_id: string
  route: string
  status: number
  shown: object[]
  decided: { record_ids: string[]; fields: string[] }[]
  query?: string | null
}

async function lines(server: TestServer, query = ''): Promise<Line[]> {
  const found: Line[] = []
  for (let cursor = ''; ; ) {
    const { body }: Answer = await server.json(`/v1/owner/disclosures?limit=100${query}${cursor}`)
    found.push(...body.data)
    if (!body.has_more) return found
    cursor = `&cursor=${body.next_cursor}`
  }
}

async function mailbox(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('m1', {
      subject: 'Pelican',
      body: `the code is 4711 ${'x'.repeat(20_000)}`,
      secret: 's',
      size: 1,
    }),
    message('m2', { subject: 'Heron', body: 'short', size: 2 }),
  ])
  const fields = ['id', 'subject', 'body', 'size', 'received_at']
  const token = await server.grant({ streams: ['messages'], fields })
  return { server, connection, token }
}

onEachEngine('guessing a text by yes-or-no questions leaves a ledger line for each one', async engine => {
  const { server, connection, token } = await mailbox(engine)
  await using _ = server
  const window = (q: string) => `${LIST}/m1/field-window?field=body&q=${encodeURIComponent(q)}`
  const asked: string[] = []
  const holds = async (q: string) => {
    const byTag = asked.length % 2 === 0
    const response = await server.request(window(q), {
      token,
      ...(byTag ? { headers: { 'If-None-Match': '*' } } : { method: 'HEAD' }),
    })
    await response.body?.cancel()
    asked.push(response.headers.get('Request-Id') ?? '')
    assert.notEqual(response.status, 304)
    return response.status !== 404
  }
  let known = 'the code'
  const questions = count(60, 703)
  for (const letters = [...' abcdefghijklmnopqrstuvwxyz0123456789']; asked.length < questions; ) {
    for (const letter of letters) {
      if (asked.length === questions || !(await holds(known + letter))) continue
      known += letter
      break
    }
  }
  assert.ok(known.length > 'the code'.length, known)
  const noted = (await lines(server)).filter(({ request_id }) => asked.includes(request_id))
  assert.equal(noted.length, questions)
  assert.equal(new Set(noted.map(({ request_id }) => request_id)).size, questions)
  for (const { decided } of noted)
    assert.deepEqual(decided, [
      { connection_id: connection, stream: 'messages', record_ids: ['m1'], fields: ['body'] },
    ])
  assert.deepEqual(server.failures, [])
})

onEachEngine('each response to a client has a ledger line with the fields it depended on', async engine => {
  const { server, token } = await mailbox(engine)
  await using _ = server
  const search = '/v1/search?q='
  const record = `record=${encodeURIComponent('messages:m1')}`
  const cases: [path: string, status: number, decided: string[], init?: RequestInit][] = [
    [LIST, 200, ['received_at']],
    [`${LIST}?where[size]=1&fields=id`, 200, ['received_at', 'size']],
    [`${LIST}?where[size]=999`, 200, ['received_at', 'size']],
    [`${LIST}?where[size][gte]=1&count=exact&fields=id`, 200, ['received_at', 'size'], { method: 'HEAD' }],
    [`${LIST}?where[secret]=s`, 403, []],
    [`${LIST}?changes_since=beginning&fields=id`, 200, ['id']],
    [`${LIST}/m1`, 200, []],
    [`${LIST}/m1`, 200, [], { method: 'HEAD' }],
    [`${LIST}/never`, 404, ['id']],
    [`${LIST}/never`, 404, ['id'], { method: 'HEAD' }],
    [`${LIST}/m1/field-window?field=body&q=4711`, 200, ['body']],
    [`${LIST}/m1/field-window?field=body&q=4712`, 404, ['body']],
    [`${LIST}/m1/field-window?field=size`, 422, ['size']],
    [`${LIST}/m1/field-window?field=secret`, 403, []],
    // The time determines the order of a conversation, and adjacent messages raise the score of a hit.
    [`${search}pelican&windows=0`, 200, ['body', 'received_at', 'subject']],
    [`${search}ostrich&windows=0`, 200, ['body', 'received_at', 'subject']],
    [`${search}ostrich`, 200, ['body', 'received_at', 'subject'], { method: 'HEAD' }],
    [`${search}pelican&since=2020-01-01`, 200, ['body', 'received_at', 'subject']],
    [`${search}pelican&streams=messages&where[size]=7`, 200, ['body', 'received_at', 'size', 'subject']],
    [`${search}ostrich&${record}`, 200, ['body', 'subject']],
    ['/v1/streams/messages/aggregate?where[size]=1', 200, ['size']],
    ['/v1/streams/messages/aggregate?metric=max&field=size', 200, ['size']],
    [`/v1/blobs/sha256-${'0'.repeat(64)}`, 404, ['body', 'id', 'received_at', 'size', 'subject']],
    ['/v1/streams', 200, []],
    ['/v1/schema', 200, []],
    ['/v1/streams/notes/records', 403, []],
    ['/v1/owner/disclosures', 403, []],
    [`${LIST}?limit=x`, 400, []],
  ]
  for (const [path, status, decided, init = {}] of cases) {
    const title = `${init.method ?? 'GET'} ${path}`
    const response = await server.request(path, { token, ...init })
    await response.body?.cancel()
    assert.equal(response.status, status, title)
    const { body } = await server.json('/v1/owner/disclosures?limit=2')
    const id = response.headers.get('Request-Id')
    const own = body.data.filter(({ request_id }: Line) => request_id === id) as Line[]
    assert.equal(own.length, 1, title)
    const [line] = own as [Line]
    assert.equal(line.status, status, title)
    assert.ok(line.route.startsWith(`${init.method ?? 'GET'} /v1/`), line.route)
    const fields = new Set(line.decided.flatMap(each => each.fields))
    assert.deepEqual([...fields].sort(), decided, title)
    assert.ok(!('query' in line), title)
  }
  assert.equal((await lines(server)).length, cases.length)
  assert.deepEqual(server.failures, [])
})

onEachEngine('a deletion reported by a change feed is recorded with its record', async engine => {
  const { server, connection, token } = await mailbox(engine)
  await using _ = server
  const first = await server.json(`${LIST}?changes_since=beginning`, { token })
  await server.request(`${LIST}/m2?connection_id=${connection}`, { method: 'DELETE' })
  await server.json(`${LIST}?changes_since=${first.body.next_changes_since}`, { token })
  const [line] = await lines(server)
  assert.deepEqual(line?.shown, [
    { connection_id: connection, stream: 'messages', record_ids: ['m2'], fields: [] },
  ])
})

onEachEngine('client queries are recorded, and shown only if that is turned on', async engine => {
  const { server, token } = await mailbox(engine)
  await using _ = server
  await server.json('/v1/search?q=pelican', { token })
  const hidden = await server.json('/v1/owner/disclosures?queries=show')
  assert.equal(hidden.body.meta.warnings[0].code, 'queries_hidden')
  assert.ok(!JSON.stringify(hidden.body.data).includes('pelican'))
  await using open = await TestServer.on(server.location, { showQueries: true })
  assert.ok(!('query' in ((await lines(open))[0] ?? {})))
  const [line] = await lines(open, '&queries=show')
  assert.equal(line?.query, '/v1/search?q=pelican')
  const exported = await (await open.request('/v1/owner/export')).text()
  assert.ok(exported.includes('"disclosure"') && !exported.includes('q=pelican'))
})

onEachEngine('an ETag belongs to an access and cannot be computed from the content', async engine => {
  const { server, token } = await mailbox(engine)
  await using _ = server
  const other = await server.grant({ streams: ['messages'] })
  const tag = async (by: string) =>
    (await server.request(`${LIST}/m2?fields=id,subject`, { token: by })).headers.get('ETag')
  const own = await tag(token)
  assert.match(own ?? '', /^"[\w-]{27}"$/)
  assert.equal(await tag(token), own)
  assert.notEqual(await tag(other), own)
  await using elsewhere = await mailbox(engine).then(({ server }) => server)
  const theirs = await elsewhere.request(`${LIST}/m2?fields=id,subject`)
  assert.notEqual(theirs.headers.get('ETag'), own)
})

onEachEngine('who read a record is found behind lines that contain its id as another text', async engine => {
  const { server, connection, token } = await mailbox(engine)
  await using _ = server
  await server.ingest('messages', connection, [message('body', { subject: 'Crane' })])
  for (const id of ['body', 'm1', 'm2', 'm1']) await server.json(`${LIST}/${id}`, { token })
  const query = new URLSearchParams({ record: `${connection}/messages:body`, limit: '1' })
  const { body } = await server.json(`/v1/owner/disclosures?${query}`)
  assert.deepEqual(body.data[0]?.shown[0].record_ids, ['body'])
  assert.equal(body.has_more, false)
})

test('what one client asked is found by the index of clients', async () => {
  await using server = await TestServer.start('sqlite')
  const { store } = server
  const ledger = store.ledger.database
  const asked: { sql: string; params: Params }[] = []
  const watched = new Proxy(ledger, {
    get: (target, name) =>
      name === 'all'
        ? (sql: string, params: Params = []) => {
            asked.push({ sql, params })
            return target.all(sql, params)
          }
        : Reflect.get(target, name, target),
  })
  const { owner_id } = store
  const client = { owner_id, client_id: 'cli_rare' }
  const any = { since: null, until: null, after: '~', record: null, limit: 10 }
  await listDisclosures(watched, '', { ...client, ...any })
  await readActivity(watched, { ...client, since: 0, until: Date.now(), parts: 1, examine: 10 })
  assert.ok(asked.length > 2)
  for (const { sql, params } of asked) {
    const plan = await ledger.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
    assert.match(
      plan.map(({ detail }) => detail).join('\n'),
      /USING COVERING INDEX disclosures_by_client/,
      sql,
    )
  }
})
