import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AuthorizationWorld, type Visitor } from '../../../test/authorization-world.ts'
import { importPlace } from '../../../test/import-place.ts'
import type { Engine } from '../../../test/places.ts'

/** The time zone of every life's owner. */
export const OWNER_ZONE = 'Europe/Berlin'

/** An imported life, a server on it, and a client that may read all of it. */
export interface AnswersWorld extends AsyncDisposable {
  client: Client
  /** The owner's browser, which opens links. */
  owner: Visitor
  /** The client's, and the origin of the server. */
  token: string
  url: string
  /** Arguments that each tool takes, as tools/list says. */
  argumentsOf(tool: string): readonly string[]
}

/** Imports files as the command does, and connects a client over HTTP. */
export async function answersWorld(
  engine: Engine,
  files: (folder: string) => Promise<readonly { path: string; name: string }[]>,
): Promise<AnswersWorld> {
  const place = await importPlace(engine)
  for (const { path, name } of await files(place.folder)) {
    const { exitCode, notes } = await place.import(path, '--name', name, '--json')
    if (exitCode !== 0) throw new Error(`${path}: ${notes.join('\n')}`)
  }
  const { location } = place.config
  const world = await AuthorizationWorld.start(engine, {
    place: { location, remove: async () => {} },
    timeZone: OWNER_ZONE,
  })
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Assistant' })
  const client = new Client({ name: 'eval', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', world.url), {
      requestInit: { headers: { Authorization: `Bearer ${access_token}` } },
    }),
  )
  const { tools } = await client.listTools()
  return {
    client,
    token: access_token,
    url: world.url,
    owner: await world.signedIn(),
    argumentsOf: name => Object.keys(tools.find(tool => tool.name === name)?.inputSchema.properties ?? {}),
    async [Symbol.asyncDispose]() {
      await client.close()
      await world[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}
