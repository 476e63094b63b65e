import { AuthorizationWorld } from './authorization-world.ts'
import { MAILBOX } from './mailbox.ts'
import type { Engine } from './places.ts'

/** A server on loopback with one mailbox, and a client's token for all of it. */
export interface ServedMailbox extends AsyncDisposable {
  url: string
  token: string
  connection: string
}

export async function servedMailbox(engine: Engine, lines: readonly unknown[] = []): Promise<ServedMailbox> {
  const world = await AuthorizationWorld.start(engine)
  await world.own('POST', '/v1/owner/declarations', MAILBOX)
  const connector = { source_id: MAILBOX.source.id, display_name: 'Mail' }
  const { connection_id } = await world.own('POST', '/v1/owner/connections', connector)
  const body = lines.map(line => JSON.stringify(line)).join('\n')
  const place = `/v1/ingest/messages?connection_id=${connection_id}`
  if (body !== '') await world.own('POST', place, body, 'application/x-ndjson')
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Test client' })
  return {
    url: world.url,
    token: access_token,
    connection: connection_id,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
