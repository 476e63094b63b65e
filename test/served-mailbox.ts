import { AuthorizationWorld } from './authorization-world.ts'
import type { Engine } from './places.ts'

/** A server on loopback with one mailbox, and a client's token for all of it. */
export interface ServedMailbox extends AsyncDisposable {
  url: string
  token: string
  connection: string
}

export async function servedMailbox(engine: Engine, lines: readonly unknown[] = []): Promise<ServedMailbox> {
  const world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  await world.ingest('messages', connection_id, lines)
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Test client' })
  return {
    url: world.url,
    token: access_token,
    connection: connection_id,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
