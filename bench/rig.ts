import { output, ServerProcess } from './child.ts'
import { Client } from './client.ts'
import { DECLARATION, GRANTED_FIELDS, SINCE, UNTIL } from './mail.ts'
import type { Size } from './options.ts'
import { type Engine, freshPlace, type Place } from './place.ts'
import { ServerMemory } from './server-memory.ts'

const FOOTNOTE = 'bin/footnote.js'
/** Without rate limits, because they are not measured. */
const SERVE = [FOOTNOTE, 'serve', '--port', '0', '--rate-limit', '0', '--address-limit', '0']

/** A server under test with two connections, the floor beside it on the same data, and a client for each. */
export interface Rig extends AsyncDisposable {
  engine: Engine
  size: Size
  place: Place
  connections: string[]
  owner_id: string
  /** The server, with the owner's token and with the client's. */
  owner: Client
  client: Client
  floor: Client
  /** For work that runs elsewhere. */
  urls: { server: string; floor: string }
  tokens: { owner: string; client: string }
  memory: ServerMemory
  /** The server's process. */
  pid: number
}

/** A second, new server on the rig's data: its memory grows only by what is requested from it. */
export function startAnother(rig: Rig): Promise<ServerProcess> {
  return ServerProcess.start([...SERVE, ...rig.place.flags])
}

export async function startRig(engine: Engine, size: Size): Promise<Rig> {
  await using made = new AsyncDisposableStack()
  const place = made.use(await freshPlace(engine))
  const server = made.use(await ServerProcess.start([...SERVE, ...place.flags]))
  const ownerToken = await output([FOOTNOTE, 'owner-token', ...place.flags])
  const owner = made.use(new Client(server.url, ownerToken))

  await owner.post('/v1/owner/declarations', DECLARATION)
  const connections: string[] = []
  for (const display_name of ['Work mail of the bench', 'Home mail of the bench']) {
    const made = await owner.post<{ connection_id: string }>('/v1/owner/connections', {
      source_id: DECLARATION.source.id,
      display_name,
    })
    connections.push(made.connection_id)
  }
  const clientToken = await grant(place)
  const owner_id = await onlyOwner(place)
  const floorServer = made.use(await ServerProcess.start(['bench/floor-server.ts', place.name, owner_id]))
  const rig: Omit<Rig, typeof Symbol.asyncDispose> = {
    engine,
    size,
    place,
    connections,
    owner_id,
    owner,
    client: made.use(new Client(server.url, clientToken)),
    floor: made.use(new Client(floorServer.url, null)),
    urls: { server: server.url, floor: floorServer.url },
    tokens: { owner: ownerToken, client: clientToken },
    memory: new ServerMemory(server.pid),
    pid: server.pid,
  }
  const kept = made.move()
  return { ...rig, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** A client's token for both streams, some of the fields and most of the time. */
async function grant(place: Place): Promise<string> {
  const streams = ['--stream', 'messages', '--stream', 'documents']
  const bounds = ['--fields', GRANTED_FIELDS.join(','), '--since', SINCE, '--until', UNTIL]
  const printed = await output([
    FOOTNOTE,
    'grant',
    'create',
    '--client',
    'Bench',
    ...streams,
    ...bounds,
    '--json',
    ...place.flags,
  ])
  return (JSON.parse(printed) as { access_token: string }).access_token
}

async function onlyOwner(place: Place): Promise<string> {
  await using plain = await place.data()
  const rows = await plain.prepare('SELECT owner_id FROM owners')()
  return String(rows[0]?.owner_id)
}
