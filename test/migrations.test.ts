import assert from 'node:assert/strict'
import { sourceIdOf } from '../src/model/declaration/declaration.ts'
import { sortKey, timeKey } from '../src/model/declaration/keys.ts'
import { newToken } from '../src/store/access/tokens.ts'
import type { Database } from '../src/store/engine/database.ts'
import { hashOf } from '../src/store/engine/identifiers.ts'
import { migrate } from '../src/store/engine/migrations.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { nameStreamsByContent } from '../src/store/engine/upgrades/old-names.ts'
import { freshLocation, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { mcpPost } from './mcp-post.ts'

const NOW = '2026-01-01T00:00:00.000Z'
const OWNER = 'oabcdefg'
/** The number of migrations before sources were named by URIs. */
const BEFORE_URIS = 4
/** The number of migrations before the word index was merged less often, and before that was done again. */
const BEFORE_MERGING_LATER = [20, 21]

type Row = Record<string, string | number | null>

async function insert(database: Database, table: string, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    const columns = ['owner_id', ...Object.keys(row)]
    const marks = columns.map(() => '?').join(', ')
    await database.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`, [
      OWNER,
      ...Object.values(row),
    ])
  }
}

/** A declaration in the old form: short keys, no semantics, views without a label, and members with any name. */
const OLD_MAILBOX = {
  protocol_version: '0.1.0',
  connector_key: 'mailbox',
  version: '1.0.0',
  display_name: 'Mailbox',
  x_vendor: 1,
  streams: [
    {
      name: 'messages',
      display: { label: 'Your e-mail' },
      schema: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          from: { type: 'string' },
          subject: { type: 'string', x_pdpp_role: 'primary-title' },
          received_at: { type: 'string', format: 'date-time' },
        },
      },
      primary_key: ['id'],
      cursor_field: 'received_at',
      consent_time_field: 'received_at',
      selection: { resources: false },
      views: [{ id: 'envelope', fields: ['id', 'subject'] }],
      query: { search: { lexical_fields: ['subject'] } },
      x_note: 'kept nowhere',
    },
  ],
}

const OLD_STREAMS = [
  {
    connection_id: 'cin_old',
    connector_key: 'mailbox',
    declaration_version: '1.0.0',
    stream: 'messages',
    fields: ['id', 'subject'],
    since: null,
    until: null,
    record_ids: null,
  },
]

async function fillOldFolder(database: Database, tokens: { owner: string; client: string }): Promise<void> {
  await insert(database, 'owners', [{ created_at: NOW, catalog_seq: 2, change_seq: 2, text_seq: 0 }])
  const content = JSON.stringify(OLD_MAILBOX)
  await insert(database, 'declarations', [
    { connector_key: 'mailbox', version: '1.0.0', seq: 1, created_at: NOW, content },
  ])
  await insert(database, 'connections', [
    { connection_id: 'cin_old', connector_key: 'mailbox', display_name: 'Work', created_at: NOW },
  ])
  for (const [index, id] of ['m1', 'm2'].entries()) {
    const { data } = message(id, { received_at: `2026-01-0${index + 1}T00:00:00Z` })
    await insert(database, 'records', [
      {
        ...{ connection_id: 'cin_old', stream: 'messages', record_key: id },
        ...{ seq: index + 1, version: 1, deleted: 0 },
        sort_key: sortKey(data.received_at as string, 'date-time'),
        time_key: timeKey(data.received_at as string),
        ...{ emitted_at: NOW, changed_at: NOW, data: JSON.stringify(data), first_row: 0, row_count: 0 },
      },
    ])
    await insert(database, 'tallies', [
      { connection_id: 'cin_old', stream: 'messages', day: `2026-01-0${index + 1}`, n: 1 },
    ])
  }
  await insert(database, 'search_state', [
    { connection_id: 'cin_old', stream: 'messages', version: 'of another analyzer' },
  ])
  const run = { format: 'mbox', source: '/mail', fingerprint: 'f', stamp: 's', state: 'finished' }
  const counts = { seen: 2, added: 2, updated: 0, unchanged: 0, rejected: 0 }
  await insert(database, 'imports', [
    {
      ...{ import_id: 'imp_old', connection_id: 'cin_old', connector_key: 'mailbox' },
      ...{ ...run, ...counts, started_at: NOW, changed_at: NOW },
    },
  ])
  await insert(database, 'clients', [{ client_id: 'cli_old', name: 'Codex', created_at: NOW }])
  const streams = JSON.stringify(OLD_STREAMS)
  await insert(database, 'grants', [
    { grant_id: 'grt_old', client_id: 'cli_old', created_at: NOW, single_use: 0, streams },
  ])
  for (const [kind, token] of Object.entries(tokens))
    await insert(database, 'tokens', [{ token_hash: hashOf(token), kind, created_at: NOW }])
  await insert(database, 'token_grants', [{ token_hash: hashOf(tokens.client), grant_id: 'grt_old' }])
}

onEachEngine(
  'PC-50: a folder from before sources had URIs keeps its records and connections, and its grants end',
  async engine => {
    const { location, remove } = await freshLocation(engine)
    const tokens = { owner: newToken('owner', OWNER), client: newToken('client', OWNER) }
    {
      await using database = await openDatabase(location, 'writer')
      await migrate(database, BEFORE_URIS)
      await fillOldFolder(database, tokens)
    }
    {
      await using server = await TestServer.on(location)
      assert.equal(server.store.owner_id, OWNER)
      const own = async (path: string) => (await server.json(path, { token: tokens.owner })).body
      const source_id = 'tag:footnote.example,2026:sources/mailbox'
      assert.deepEqual((await own('/v1/owner/connections')).data, [
        {
          object: 'connection',
          connection_id: 'cin_old',
          source_id,
          connector_key: 'mailbox',
          display_name: 'Work',
          created_at: NOW,
        },
      ])
      const [declaration] = (await own('/v1/owner/declarations')).data
      const { connector_key: _, version: __, display_name: ___, x_vendor: ____, ...head } = OLD_MAILBOX
      const { x_note: _____, ...stream } = OLD_MAILBOX.streams[0] ?? assert.fail()
      assert.deepEqual(declaration, {
        ...head,
        source: { kind: 'connector', id: source_id },
        declaration_version: '1.0.0',
        publisher: { id: 'tag:footnote.example,2026:publisher' },
        display: { name: 'Mailbox' },
        streams: [
          {
            ...stream,
            semantics: 'mutable_state',
            selection: { fields: true, resources: false },
            views: [{ id: 'envelope', label: 'envelope', fields: ['id', 'subject'] }],
          },
        ],
      })
      assert.equal((await own('/v1/owner/imports')).data[0].source_id, source_id)

      const list = await own('/v1/streams/messages/records?order=asc&count=exact')
      assert.deepEqual(
        list.data.map(({ id, data }: { id: string; data: { subject: string } }) => [id, data.subject]),
        [
          ['m1', 'Subject m1'],
          ['m2', 'Subject m2'],
        ],
      )
      assert.equal(list.meta.count, 2)
      await server.store.refreshIndexes()
      assert.equal((await own('/v1/search?q=subject')).data.length, 2)
      const added = await server.ingest('messages', 'cin_old', [message('m3'), message('m1')])
      assert.deepEqual([added.body.added, added.body.updated], [1, 1])

      // Missing details of the old grant are not guessed, so it opens nothing.
      const refused = await server.json('/v1/schema', { token: tokens.client })
      assert.deepEqual(
        [refused.status, refused.body.error.code],
        [401, 'authorization_state.unsupported_legacy_shape'],
      )
      assert.match(refused.body.error.message, /Connect the app again/)
      const mcp = await server.request('/mcp', {
        token: tokens.client,
        ...mcpPost('tools/list', {}, { Host: 'footnote.test' }),
      })
      assert.equal(mcp.status, 401)
      assert.match(mcp.headers.get('WWW-Authenticate') ?? '', /resource_metadata=/)
      const old = await own('/v1/owner/grants/grt_old')
      assert.deepEqual([old.active, old.grant, old.client_name], [false, null, 'Codex'])

      const again = await server.grants({ client_name: 'Codex' })
      assert.equal(again.client_id, 'cli_old', 'the client is known by its name')
      assert.equal((await server.json('/v1/schema', { token: again.access_token })).status, 200)
      assert.deepEqual(server.failures, [])
    }
    await remove()
  },
)

onEachEngine(
  'AN-2: streams with unclear names are renamed together with everything that belongs to them',
  async engine => {
    await using server = await TestServer.start(engine)
    const mail = { ...MAILBOX, source: { ...MAILBOX.source, id: sourceIdOf('mail') } }
    const [own, foreign] = [await server.connect(mail, 'Mail'), await server.connect(MAILBOX, 'Other')]
    for (const connection of [own, foreign])
      await server.ingest('messages', connection, [message('m1'), message('m2')])
    const ended = await server.grant({ connections: [own], streams: ['messages'] })
    const kept = await server.grant({ connections: [own], streams: ['notes'] })
    const other = await server.grant({ connections: [foreign] })

    await using database = await openDatabase(server.location, 'writer')
    await database.transaction(nameStreamsByContent)
    await using opened = await TestServer.on(server.location)
    const list = async (stream: string, token = opened.ownerToken) =>
      (await opened.json(`/v1/streams/${stream}/records?count=exact`, { token })).body
    assert.equal((await list('emails')).meta.count, 2)
    assert.equal((await list('messages')).meta.count, 2)
    assert.deepEqual(
      (await list('messages')).data.map((record: { connection_id: string }) => record.connection_id),
      [foreign, foreign],
    )
    await opened.store.refreshIndexes()
    const found = (await opened.json('/v1/search?q=subject&streams=emails')).body.data
    assert.deepEqual([found.length, found[0].connection_id, found[0].stream], [2, own, 'emails'])
    const again = await opened.ingest('emails', own, [message('m1'), message('m3')])
    assert.deepEqual([again.body.added, again.body.unchanged], [1, 1])

    assert.ok((await opened.json('/v1/schema', { token: ended })).status >= 400)
    assert.equal((await opened.json('/v1/schema', { token: kept })).status, 200)
    assert.equal((await list('messages', other)).meta.count, 2)
  },
)

onEachEngine('an existing word index is tuned like a new one', async engine => {
  const segments = async (database: Database) => {
    const rows = await database.all<{ k: string; v: number }>(
      `SELECT k, v FROM token_index_config WHERE k IN ('automerge', 'crisismerge') ORDER BY k`,
    )
    return rows.map(({ v }) => v).join(' ')
  }
  const wordsWithFigures = async (database: Database) =>
    (
      await database.get<{ n: number | null }>(
        `SELECT attstattarget AS n FROM pg_attribute WHERE attrelid = 'token_index'::regclass AND attname = 'words'`,
      )
    )?.n
  const found = (database: Database) => database.words.match(OWNER, { word: 'lantern' }, { below: 100 }, 10)
  for (const done of BEFORE_MERGING_LATER) {
    const { location, remove } = await freshLocation(engine)
    {
      await using database = await openDatabase(location, 'writer')
      await migrate(database, done)
      const words = Buffer.from('lantern harbour')
      const rows = [{ row_id: 7, later: false, time_key: null, words }]
      await database.transaction(transaction => transaction.words.add(OWNER, rows))
      const tuned = engine === 'sqlite' ? segments : wordsWithFigures
      const expected = engine === 'sqlite' ? '64 256' : 1_000
      if (engine === 'sqlite')
        await database.run(`INSERT INTO token_index (token_index, rank) VALUES ('automerge', 16)`)
      else await database.run('ALTER TABLE token_index ALTER COLUMN words SET STATISTICS 100')
      assert.notEqual(await tuned(database), expected)
      await migrate(database)
      assert.equal(await tuned(database), expected)
      assert.deepEqual(await found(database), [7])
      if (engine === 'postgres') {
        const index = await database.get<{ text: string }>(
          `SELECT pg_get_indexdef('token_index_words'::regclass) AS text`,
        )
        assert.match(index?.text ?? '', /words, \(ARRAY\[.*row_id \/ 4096.*\]\)/)
      }
    }
    await remove()
  }
})
