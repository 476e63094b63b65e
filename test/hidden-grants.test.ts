import assert from 'node:assert/strict'
import { type Engine, onEachEngine } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { differences } from './twin-answers.ts'
import { type StillServer, StoreTemplate } from './twin-servers.ts'

const NOW = '2026-02-01T00:00:00Z'

/** A mailbox without messages, and a client with several grants for it. */
function withGrants(engine: Engine, grants: readonly object[]) {
  return StoreTemplate.prepare(engine, async server => {
    const connection = await server.connect(MAILBOX, 'Mail')
    const grant_ids: string[] = []
    for (const terms of grants) {
      const grant = { client_name: 'Client', connections: [connection], streams: ['messages'], ...terms }
      const made = await server.own('POST', '/v1/owner/grants', grant)
      grant_ids.push(...made.grants.map(({ grant_id }: { grant_id: string }) => grant_id))
    }
    const { owner_id, writer } = server.store
    const token = await writer.call('createClientToken', { owner_id, grant_ids, now: NOW })
    return { connection, token }
  })
}

async function assertAlike(plain: StillServer, secret: StillServer, token: string, paths: readonly string[]) {
  for (const path of paths)
    assert.deepEqual(differences(await plain.ask(path, token), await secret.ask(path, token)), [], path)
}

onEachEngine('RS-5 a word counts only in records in which a field that contains it is open', async engine => {
  const { template, prepared } = await withGrants(engine, [
    { records: ['messages:open'] },
    { fields: ['id', 'received_at'] },
  ])
  await using _ = template
  await using plain = await template.open()
  await using secret = await template.open()
  for (const [server, body] of [
    [plain, 'far and wide'],
    [secret, 'walrus at the harbour'],
  ] as const)
    await server.ingest('messages', prepared.connection, [
      { ...message('open', { body: 'walrus at the harbour' }), emitted_at: NOW },
      { ...message('closed', { body }), emitted_at: NOW },
    ])
  await assertAlike(plain, secret, prepared.token, [
    '/v1/search?q=walrus+harbour',
    '/v1/search?q=walrus&streams=messages&where[id]=closed',
    '/v1/search?q=walrus&sort=newest&limit=1',
    '/v1/search?q=%22walrus+at+the+harbour%22&sort=newest&limit=1',
    '/v1/streams/messages/aggregate?q=walrus',
    '/v1/streams/messages/aggregate?q=walrus&group_by_time=received_at&granularity=day',
  ])
})

onEachEngine('RS-5 through which of its grants a client sees a record counts for nothing', async engine => {
  const named = ['n1', 'n2', 'n3', 'n4']
  const fields = ['id', 'body', 'size']
  const { template, prepared } = await withGrants(engine, [
    { fields, since: '2026-02-01T00:00:00Z' },
    { fields: [...fields, 'subject'], records: named.map(id => `messages:${id}`) },
  ])
  await using _ = template
  // Each grant has a share of the records that a filter may read.
  await using plain = await template.open({ rows: 4 })
  await using secret = await template.open({ rows: 4 })
  for (const [server, day] of [
    [plain, '2026-01-31'],
    [secret, '2026-02-01'],
  ] as const) {
    const lines = [...['o1', 'o2', 'o3', 'o4'], ...named].map(id => {
      const received_at = `${named.includes(id) ? day : '2026-02-01'}T12:00:00Z`
      return { ...message(id, { body: 'walrus at the harbour', size: 7, received_at }), emitted_at: NOW }
    })
    await server.ingest('messages', prepared.connection, lines)
  }
  await assertAlike(plain, secret, prepared.token, [
    '/v1/search?q=walrus&streams=messages&where[size]=7',
    '/v1/search?q=walrus+harbour&streams=messages&where[size]=7&sort=newest',
    '/v1/search?q=%22walrus+at+the%22&streams=messages&where[size]=7',
  ])
})

onEachEngine(
  'RS-5 a record without open text counts the same, whatever text is hidden in it',
  async engine => {
    const { template, prepared } = await withGrants(engine, [{ fields: ['id', 'body'] }])
    await using _ = template
    await using plain = await template.open()
    await using secret = await template.open()
    const saying = (id: string, body: string | null, from = '') => ({
      ...message(id, { body, from, subject: null }),
      emitted_at: NOW,
    })
    const many = (id: string, body: string) => Array.from({ length: 310 }, (_, no) => saying(id + no, body))
    // Of a word in more than 600 records, how rare it is follows from how many others are between its older ones.
    for (const [server, from] of [
      [plain, ''],
      [secret, 'far and wide'],
    ] as const)
      await server.ingest('messages', prepared.connection, [
        ...many('a', 'harbour'),
        ...Array.from({ length: 300 }, (_, no) => saying(`b${no}`, null, from)),
        ...many('c', 'harbour'),
        ...[...many('d', 'walrus'), ...many('e', 'walrus')],
        saying('more', 'walrus walrus walrus walrus harbour'),
        saying('less', 'walrus harbour harbour harbour'),
      ])
    await assertAlike(plain, secret, prepared.token, ['/v1/search?q=walrus+harbour&limit=2'])
  },
)
