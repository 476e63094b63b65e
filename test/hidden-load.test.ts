import assert from 'node:assert/strict'
import { onEachEngine } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { type StillServer, StoreTemplate } from './twin-servers.ts'

interface Prepared {
  connections: string[]
  token: string
}

const OPEN = ['id', 'subject', 'body', 'received_at']
/** The client can see records from this day on. */
const SINCE = '2026-01-06T00:00:00Z'
const at = (no: number) => new Date(Date.UTC(2026, 0, 7) + no * 60_000).toISOString()

/** A mailbox for each list of lines, and a client that may read the open fields of all of them. */
async function prepare(server: StillServer, mailboxes: readonly (readonly object[])[]): Promise<Prepared> {
  const connections: string[] = []
  for (const lines of mailboxes) {
    const connection = await server.connect(MAILBOX, `Mail ${connections.length}`)
    await server.ingest('messages', connection, lines)
    connections.push(connection)
  }
  const grant = { client_name: 'Client', connections, streams: ['messages'], fields: OPEN, since: SINCE }
  const { access_token } = await server.own('POST', '/v1/owner/grants', grant)
  return { connections, token: access_token }
}

/** The ids on the first page of a list, of equal stores of which one gets hidden data. */
async function idsOf(server: StillServer, path: string, token: string): Promise<string[]> {
  const { status, text } = await server.ask(path, token)
  assert.equal(status, 200, text)
  return JSON.parse(text).data.map((row: { id?: string; record_key?: string }) => row.id ?? row.record_key)
}

onEachEngine('RS-5 a page ends at the same record, however large the hidden fields are', async engine => {
  const lines = (more: object) =>
    Array.from({ length: 30 }, (_, no) => message(`m${no}`, { received_at: at(no), ...more }))
  const { template, prepared } = await StoreTemplate.prepare(engine, server => prepare(server, [lines({})]))
  await using _ = template
  await using plain = await template.open()
  await using secret = await template.open()
  const [connection = ''] = prepared.connections
  const parts = Array.from({ length: 40 }, () => 'x'.repeat(12_000))
  await secret.ingest('messages', connection, lines({ parts }))
  for (const query of ['', '&changes_since=beginning', '&max_field_chars=10']) {
    const path = `/v1/streams/messages/records?limit=30${query}`
    const ids = await idsOf(plain, path, prepared.token)
    assert.equal(ids.length, 30)
    assert.deepEqual(await idsOf(secret, path, prepared.token), ids, path)
  }
})

onEachEngine('RS-5 a hidden conversation does not change which neighbours count', async engine => {
  // In one mailbox no visible message is in a conversation; in the other, a match has a neighbour that matches.
  const alone = Array.from({ length: 220 }, (_, no) =>
    message(`a${no}`, { subject: null, body: 'walrus walrus', received_at: at(no) }),
  )
  const spoken = ['one', 'two', 'three'].flatMap((thread, no) => [
    message(`${thread}1`, {
      subject: thread,
      body: `walrus ${'of old '.repeat(9 + no)}`,
      received_at: at(no),
    }),
    ...(no === 2
      ? [
          message(`${thread}2`, {
            subject: thread,
            body: `walrus ${'by far '.repeat(20)}`,
            received_at: at(9),
          }),
        ]
      : []),
  ])
  const { template, prepared } = await StoreTemplate.prepare(engine, server =>
    prepare(server, [alone, spoken]),
  )
  await using _ = template
  await using plain = await template.open()
  await using secret = await template.open()
  const [connection = ''] = prepared.connections
  const hidden = message('h1', { subject: 'hidden', body: 'x', received_at: '2026-01-01T00:00:00Z' })
  await secret.ingest('messages', connection, [hidden])
  const pages = async (server: StillServer) => {
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const { text } = await server.ask(`/v1/search?q=walrus&limit=100${cursor}`, prepared.token)
      const { data, next_cursor } = JSON.parse(text)
      ids.push(...data.map(({ record_key }: { record_key: string }) => record_key))
      if (!next_cursor) return ids
      cursor = `&cursor=${next_cursor}`
    }
  }
  const ids = await pages(plain)
  assert.equal(ids.length, 224)
  assert.deepEqual(await pages(secret), ids)
})
