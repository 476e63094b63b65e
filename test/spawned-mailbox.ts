import { type Engine, storeLocation } from './places.ts'
import { ownerTokenFor, SpawnedServer } from './spawned-server.ts'

/** A real server on loopback with one mailbox, and a client's token for all of it. */
export interface SpawnedMailbox extends AsyncDisposable {
  server: SpawnedServer
  url: string
  owner: string
  token: string
  connection: string
}

export async function withMailbox(engine: Engine, lines: readonly unknown[] = []): Promise<SpawnedMailbox> {
  const { location, remove } = await storeLocation(engine)
  const owner = await ownerTokenFor(location)
  const server = await SpawnedServer.start(location)
  const connection = await server.connect(owner)
  const body = lines.map(line => JSON.stringify(line)).join('\n')
  if (body !== '') await server.ingest('messages', connection, owner, body)
  const granted = await server.post('/v1/owner/grants', owner, { client_name: 'Test client' })
  return {
    server,
    url: server.url,
    owner,
    token: granted.body.access_token,
    connection,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await remove()
    },
  }
}
