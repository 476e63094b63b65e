import assert from 'node:assert/strict'
import { timeKey } from '../src/model/declaration/keys.ts'
import type { SelectedSource } from '../src/model/reading/filter.ts'
import type { Value, View } from '../src/store/engine/database.ts'
import { ViewOrder } from '../src/store/search/view-order.ts'
import { onEachEngine } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { differences } from './twin-answers.ts'
import { type StillServer, StoreTemplate } from './twin-servers.ts'
import { embedWords } from './word-meaning.ts'

/** The client can see records from this day on. */
const SINCE = '2026-01-06T00:00:00Z'
const HIDDEN_TIME = '2026-01-01T00:00:00Z'
const at = (minute: number) => new Date(Date.parse(SINCE) + minute * 60_000).toISOString()

const mail = (id: string, more: Record<string, unknown>) => ({
  ...message(id, more),
  emitted_at: '2026-04-01T00:00:00Z',
})

interface Prepared {
  connection: string
  token: string
}

async function prepare(server: StillServer): Promise<Prepared> {
  const connection = await server.connect(MAILBOX, 'Mail')
  await server.ingest(
    'messages',
    connection,
    [1, 2, 3, 4].map(no => mail(`m${no}`, { body: 'walrus '.repeat(no), received_at: at(no) })),
  )
  const grant = { client_name: 'Client', connections: [connection], streams: ['messages'] }
  const { access_token } = await server.own('POST', '/v1/owner/grants', { ...grant, since: SINCE })
  return { connection, token: access_token }
}

/** Writes the same lines into both stores. */
function writing(connection: string, servers: readonly StillServer[]) {
  return async (lines: readonly object[]) => {
    for (const server of servers) await server.ingest('messages', connection, lines)
  }
}

onEachEngine(
  'RS-5 a later page leaves out what came into view since, whether or not it was stored before',
  async engine => {
    const { template, prepared } = await StoreTemplate.prepare(engine, prepare)
    await using _ = template
    await using plain = await template.open()
    await using secret = await template.open()
    const { connection, token } = prepared
    const write = writing(connection, [plain, secret])
    const body = 'walrus of old, quokka'
    await secret.ingest('messages', connection, [mail('late', { body, received_at: HIDDEN_TIME })])
    const searches = ['q=walrus', 'q=walrus&sort=newest', 'q=walrus+quokko', 'q=%22walrus%22&sort=oldest']
    const paths = [
      ...searches.map(search => `/v1/search?${search}&limit=1`),
      `/v1/search?q=walrus+quokko&record=${encodeURIComponent(`${connection}/messages:m4`)}&limit=1`,
    ]
    const first = async (server: StillServer, path: string): Promise<string> => {
      const { text } = await server.ask(path, token)
      return JSON.parse(text).next_cursor ?? assert.fail(text)
    }
    const cursors: [path: string, plain: string, secret: string][] = []
    for (const path of paths) cursors.push([path, await first(plain, path), await first(secret, path)])
    const away = mail('m2', { body: 'walrus walrus', received_at: HIDDEN_TIME })
    await write([away])
    await secret.ingest('messages', connection, [{ op: 'delete', key: 'm2' }])
    await write([
      mail('late', { body, received_at: at(2) }),
      mail('m2', { body: 'walrus walrus', received_at: at(2) }),
    ])
    for (const [path, one, other] of cursors) {
      let [a, b] = [one, other]
      for (let page = 0; page < 4 && a; page++) {
        const { text, status } = await plain.ask(`${path}&cursor=${a}`, token)
        const { text: twin } = await secret.ask(`${path}&cursor=${b}`, token)
        const [{ next_cursor, ...shown }, { next_cursor: next, ...seen }] = [
          JSON.parse(text),
          JSON.parse(twin),
        ]
        assert.equal(status, 200, text)
        assert.deepEqual(seen, shown, path)
        assert.ok(!text.includes('"late"') && !text.includes('"m2"'), path)
        ;[a, b] = [next_cursor, next]
      }
    }
  },
)

/** More records than a search examines for a common word or a phrase. */
const MANY = 640

onEachEngine(
  'RS-5 the newest records of a common word are those that came into view last, whether or not they were stored before',
  async engine => {
    const { template, prepared } = await StoreTemplate.prepare(engine, prepare)
    await using _ = template
    await using plain = await template.open({ rows: 100 })
    await using secret = await template.open({ rows: 100 })
    const { connection, token } = prepared
    const write = writing(connection, [plain, secret])
    const late = (id: string, minute: number | null, size = 1) =>
      mail(id, {
        body: 'the walrus at the harbour',
        received_at: minute === null ? HIDDEN_TIME : at(minute),
        size,
      })
    await secret.ingest('messages', connection, [late('moved', null), late('replaced', null)])
    await write(
      Array.from({ length: MANY }, (_, no) =>
        mail(`n${no}`, {
          body: `the walrus at the harbour ${'of old '.repeat(9)}`,
          received_at: at(no),
          size: 2,
        }),
      ),
    )
    await plain.ingest('messages', connection, [mail('between', {}), late('moved', 1), late('replaced', 2)])
    await secret.ingest('messages', connection, [
      mail('between', {}),
      late('moved', 1),
      { op: 'delete', key: 'replaced' },
      late('replaced', 2),
    ])
    const searches = ['q=walrus', 'q=walrus+harbour', 'q="walrus at the harbour"', 'q=walr*', 'q=walrus+-old']
    for (const search of [...searches, 'q=walrus&streams=messages&where[size]=1']) {
      const path = `/v1/search?${search.replaceAll('"', '%22')}&limit=5`
      const [one, other] = [await plain.ask(path, token), await secret.ask(path, token)]
      assert.match(one.text, /"moved".*"replaced"|"replaced".*"moved"/, path)
      assert.deepEqual(differences(one, other), [], path)
    }
  },
)

onEachEngine(
  'RS-5 a vector that was made while its record was hidden counts no earlier than others',
  async engine => {
    const { template, prepared } = await StoreTemplate.prepare(engine, prepare)
    await using _ = template
    await using plain = await template.open()
    await using secret = await template.open()
    const { connection, token } = prepared
    const write = writing(connection, [plain, secret])
    const embed = () => Promise.all([plain, secret].map(({ store }) => embedWords(store)))
    const body = 'walrus at the harbour'
    await secret.ingest('messages', connection, [mail('late', { body, received_at: HIDDEN_TIME })])
    await embed()
    const path = '/v1/search?q=walrus+harbour'
    const shares = async (path: string, cursors = ['', '']) => {
      const [one, other] = [
        await plain.ask(path + cursors[0], token),
        await secret.ask(path + cursors[1], token),
      ]
      const [{ next_cursor: a, ...shown }, { next_cursor: b, ...seen }] = [
        JSON.parse(one.text),
        JSON.parse(other.text),
      ]
      assert.deepEqual(seen, shown)
      return { share: shown.meta.meaning.share, cursors: [a, b].map(cursor => `&cursor=${cursor}`) }
    }
    assert.equal((await shares(path)).share, 1)
    await write([mail('late', { body, received_at: at(9) })])
    assert.equal((await shares(path)).share, 0.8)
    const { cursors } = await shares(`${path}&limit=1`)
    await embed()
    assert.equal((await shares(`${path}&limit=1`, cursors)).share, 0.8)
    assert.equal((await shares(path)).share, 1)
  },
)

onEachEngine(
  'a search reads only moves that led into its bounds, however many others there were',
  async engine => {
    const { template, prepared } = await StoreTemplate.prepare(engine, prepare)
    await using _ = template
    await using server = await template.open()
    const { connection } = prepared
    const movedTo = (minute: number) =>
      server.ingest(
        'messages',
        connection,
        [1, 2, 3].map(no => mail(`m${no}`, { received_at: at(no + minute) })),
      )
    const clause = { fields: null, record_ids: null, since: timeKey(SINCE), until: null }
    const source = { connection_id: connection, stream: { name: 'messages' }, clauses: [clause] }
    const rowsRead = async () => {
      let count = 0
      const { database } = server.store
      const all = async (sql: string, params: Value[]) => {
        const rows = await database.all(sql, params)
        count += rows.length
        return rows
      }
      const selected = [{ source, conditions: [] }] as unknown as SelectedSource[]
      await ViewOrder.read({ all } as unknown as View, server.store.owner_id, selected)
      return count
    }
    await movedTo(60)
    await movedTo(120)
    assert.equal(await rowsRead(), 0)
    await server.ingest('messages', connection, [mail('m2', { received_at: HIDDEN_TIME })])
    await movedTo(180)
    assert.equal(await rowsRead(), 1)
  },
)
