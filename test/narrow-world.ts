import { MAILBOX, message } from './mailbox.ts'
import type { Engine } from './places.ts'
import { TestServer } from './test-server.ts'

/** Occurs only in data that the narrow grant does not cover. */
export const SECRET = 'xylograph'

const DECLARATION = {
  ...MAILBOX,
  streams: MAILBOX.streams.map(stream =>
    stream.name === 'messages'
      ? { ...stream, query: { ...stream.query, search: { lexical_fields: ['subject', 'body', 'secret'] } } }
      : { ...stream, query: { search: { lexical_fields: ['text'] } } },
  ),
}

/**
 * A grant for part of one of two mailboxes: other connections, streams, fields, records and times are hidden from it.
 */
export async function narrowWorld(engine: Engine) {
  const server = await TestServer.start(engine)
  const [work, home] = [await server.connect(DECLARATION, 'Work'), await server.connect(DECLARATION, SECRET)]
  const hiddenBlob = await server.upload(`${SECRET} in bytes`)
  const body = 'the albatross '.repeat(2_000)
  const at = (year: number) => `${year}-06-01T00:00:00Z`
  await server.ingest('messages', work, [
    message('open', { body, secret: `${SECRET} albatross`, received_at: at(2026), size: 7, parts: ['a'] }),
    message('second', { body: 'another albatross', secret: SECRET, received_at: at(2026) }),
    message('early', {
      subject: SECRET,
      body: `${SECRET} albatross ${body}`,
      received_at: at(2020),
      parts: [{ blob_id: hiddenBlob, mime_type: 'text/plain' }],
    }),
  ])
  await server.ingest('messages', home, [
    message('open', { subject: SECRET, body: `${SECRET} albatross ${body}`, received_at: at(2026) }),
    message('other', { subject: SECRET, body: `${SECRET} albatross`, received_at: at(2026) }),
  ])
  for (const connection of [work, home]) {
    await server.ingest('notes', connection, [{ data: { id: 'n1', text: `${SECRET} albatross` } }])
  }
  const narrow = {
    connections: [work],
    streams: ['messages'],
    fields: ['id', 'subject', 'body', 'received_at', 'parts'],
    since: '2026-01-01',
    until: '2027-01-01',
  }
  return { server, work, home, hiddenBlob, narrow, body }
}
