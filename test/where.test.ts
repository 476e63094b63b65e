import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'

const LIST = '/v1/streams/messages/records'

onEachEngine('PC-70 PC-74 clients filter with where; only the owner can use filter', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  await server.ingest('messages', mail, [
    message('a', { from: 'Ada <ada@example.org>', size: 1, subject: 'Rain in Turin', secret: 'umbrella' }),
    message('b', { from: 'Bob', size: 2, subject: 'RAINFALL', secret: 'boots' }),
    message('c', { from: 'Ada, Countess', size: 3, subject: 'Sun', body: `${'dry '.repeat(5_000)}rain` }),
  ])
  const token = await server.grant({ fields: ['id', 'from', 'size', 'subject', 'body', 'received_at'] })
  const ask = async (query: string, by = token) => (await server.json(`${LIST}?${query}`, { token: by })).body
  const found = async (query: string, by = token): Promise<string> =>
    (await ask(`order=asc&${query}`, by)).data.map((row: { id: string }) => row.id).join('')
  for (const by of [token, server.ownerToken]) {
    assert.equal(await found('where[subject][contains]=rain', by), 'ab')
    assert.equal(await found('where[from][contains]=ADA', by), 'ac')
    assert.equal(await found('where[from][contains]=ada&where[subject][contains]=rain', by), 'a')
    assert.equal(await found('where[body][contains]=rain', by), '', 'a long text is not looked into')
    assert.equal(await found('where[from][in]=Bob&where[from][in]=Ada, Countess', by), 'bc')
    assert.equal(await found('where[size][in]=1&where[size][in]=3.0', by), 'ac')
    assert.equal(await found('where[size][in]=1&where[from]=Bob', by), '')
    assert.equal(await found('where[size]=2', by), 'b')
  }
  for (const [query, code, param] of [
    ['filter[size]=1', 'invalid_request', 'filter[size]'],
    ['filter[no such field]=1', 'invalid_request', 'filter[no such field]'],
    ['filter[secret]=boots', 'invalid_request', 'filter[secret]'],
    ['where[secret][contains]=o', 'field_not_granted', 'where[secret][contains]'],
    ['where[size][contains]=1', 'invalid_request', 'where[size][contains]'],
    ['where[received_at][contains]=2026', 'invalid_request', 'where[received_at][contains]'],
    ['where[subject][contains]=', 'invalid_request', 'where[subject][contains]'],
    ['where[size][in]=many', 'invalid_request', 'where[size][in]'],
    ['where[none][in]=many', 'unknown_field', 'where[none][in]'],
  ]) {
    const { error } = await ask(query as string)
    assert.deepEqual([error.code, error.param], [code, param], query)
  }
  // The filter is checked before any lookup: a stream that the grant does not cover gets the same answer.
  for (const path of [
    '/v1/streams/never/records?',
    '/v1/streams/messages/aggregate?metric=count&',
    '/v1/search?q=rain&',
  ]) {
    const { status, body } = await server.json(`${path}filter[a]=1`, { token })
    assert.deepEqual([status, body.error.code, body.error.param], [400, 'invalid_request', 'filter[a]'], path)
  }
  assert.equal(await found('filter[size][gte]=2', server.ownerToken), 'bc')
  assert.equal((await ask('filter[subject][contains]=rain', server.ownerToken)).error.code, 'invalid_request')

  const searched = await server.json('/v1/search?q=rain&streams=messages&where[from][contains]=ada', {
    token,
  })
  assert.deepEqual(
    searched.body.data.map(({ record_key }: { record_key: string }) => record_key),
    ['a', 'c'],
  )
  const counted = await server.json('/v1/streams/messages/aggregate?where[from][contains]=ada', { token })
  assert.equal(counted.body.value, 2)
  assert.deepEqual(server.failures, [])
})

onEachEngine('PC-70 contains matches the items of a list', async engine => {
  await using server = await TestServer.start(engine)
  const lists = {
    ...source('lists'),
    streams: [
      stream('lists', { to: { type: ['array', 'null'], items: { type: ['string', 'number', 'boolean'] } } }),
    ],
  }
  const connection = await server.connect(lists)
  const row = (id: string, to: unknown) => ({ key: id, data: { id, to }, emitted_at: '2026-01-01T00:00:00Z' })
  await server.ingest('lists', connection, [
    row('a', ['Hedda <hedda@example.org>', 'Tesman']),
    row('b', [12, true]),
    row('c', null),
    row('d', []),
  ])
  const found = async (query: string): Promise<string> => {
    const { body } = await server.json(`/v1/streams/lists/records?order=asc&${query}`)
    return body.data?.map((each: { id: string }) => each.id).join('') ?? body.error.code
  }
  assert.equal(await found('where[to][contains]=hedda'), 'a')
  assert.equal(await found('where[to][contains]=12'), 'b')
  assert.equal(await found('where[to][contains]=1'), '')
  assert.equal(await found('where[to][contains]=true'), 'b')
  assert.equal(await found('where[to]=Tesman'), 'invalid_request')
})
