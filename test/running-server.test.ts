import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { readConfig } from '../src/cli/config.ts'
import { startListening } from '../src/cli/listening.ts'
import { logIn } from '../src/cli/log.ts'
import { lsofProcesses } from '../src/cli/port-holder.ts'
import { ExitError } from '../src/cli/terminal/exit-errors.ts'
import type { Location } from '../src/store/engine/database.ts'
import { AuthorizationWorld, Visitor } from './authorization-world.ts'
import { listeningOn, output, placeFlags } from './command-line.ts'
import { freshLocation, onEitherEngine } from './engines.ts'
import { SpawnedServer } from './spawned-server.ts'

const notes = (directory: string) => readdirSync(directory).filter(name => name.startsWith('server-'))

/** The error of a server that cannot listen on its port. */
async function refusal(flags: Record<string, string>): Promise<string> {
  const failure = await startListening(readConfig(flags, {}), logIn('text'), 'footnote').catch(
    (error: unknown) => error,
  )
  assert.ok(failure instanceof ExitError)
  return `${failure.message} ${failure.hint}`
}

/** Checks what is reported about the port of a server, for its own data folder and for another. */
async function assertTaken(location: Location, { url, pid }: SpawnedServer): Promise<void> {
  const { port } = new URL(url)
  const database = location.engine === 'postgres' ? { 'database-url': location.url } : {}
  assert.equal(
    await refusal({ port, 'data-dir': location.directory, ...database }),
    `Port ${port} is taken by the Footnote server of this data folder (process ${pid}). open ${url}, or stop that server first`,
  )
  const other = await freshLocation('sqlite')
  assert.equal(
    await refusal({ port, 'data-dir': other.location.directory }),
    `Port ${port} is taken by the Footnote server of ${location.directory} (process ${pid}). --port ${Number(port) + 1}, or stop that server first`,
  )
  await other.remove()
}

onEitherEngine(
  'AN-31 links point to the server that runs on the data, and the error for a taken port names it',
  async engine => {
    const { location, remove } = await freshLocation(engine)
    const flags = placeFlags(location)
    const link = async (...more: string[]) =>
      new URL(await output(['sign-in-link', ...flags, ...more])).origin
    {
      await using server = await SpawnedServer.start(location)
      assert.equal(await link(), server.url)
      assert.equal(await link('--port', '8123'), 'http://127.0.0.1:8123')
      const shown = JSON.parse(await output(['connect', 'codex', '--json', ...flags]))
      assert.equal(shown.url, `${server.url}/mcp`)
      assert.equal(notes(location.directory).length, 1)
      await assertTaken(location, server)
      await server.kill()
    }
    assert.equal(notes(location.directory).length, 1)
    assert.equal(await link(), 'http://127.0.0.1:7007', 'the note of a killed server is stale')
    {
      const place = { location, remove: async () => {} }
      await using world = await AuthorizationWorld.start(engine, {
        place,
        publicUrl: 'https://footnote.example',
      })
      assert.equal(await link(), 'https://footnote.example')
      assert.equal(notes(location.directory).length, 1)
      assert.ok(world.url)
    }
    assert.deepEqual(notes(location.directory), [], 'a server that stops takes its note away')
    await remove()
  },
)

test('AN-31 the error for a taken port names the program that uses it', async () => {
  const { location, remove } = await freshLocation('sqlite')
  const program = createServer(socket => socket.destroy()).listen(0, '127.0.0.1')
  await once(program, 'listening')
  const address = program.address()
  const port = String(typeof address === 'object' && address?.port)
  assert.equal(
    await refusal({ port, 'data-dir': location.directory }),
    `Port ${port} is taken by node (process ${process.pid}). --port ${Number(port) + 1}, or end that program`,
  )
  program.close()
  await remove()
})

test('AN-31 the output of lsof is parsed into processes and their files', () => {
  const output = 'p812\ncnode\nf21\nn127.0.0.1:7007\nf23\nn/Users/ada/.footnote/server-7007.json\n'
  assert.deepEqual(lsofProcesses(output), [
    { process_id: 812, name: 'node', files: ['127.0.0.1:7007', '/Users/ada/.footnote/server-7007.json'] },
  ])
  assert.deepEqual(lsofProcesses(''), [])
})

onEitherEngine(
  'a command on a page names a data folder that is not the default one, and works when copied',
  async engine => {
    const { location, remove } = await freshLocation(engine)
    {
      await using server = await listeningOn(location)
      const visitor = new Visitor(server.address)
      const shown =
        /<pre[^>]*>([^<]+sign-in-link)<\/pre>/.exec((await visitor.get('/sign-in')).html)?.[1] ?? ''
      const [, words = ''] = /( --data-dir .*)$/.exec(shown) ?? []
      assert.equal(words, ` --data-dir ${location.directory} sign-in-link`)
      const database = placeFlags(location).filter((_, index) => index > 1)
      const link = new URL(await output([...words.trim().split(' '), ...database]))
      assert.equal(link.origin, server.address)
      await visitor.post('/sign-in', { link: link.searchParams.get('link') ?? '' })
      const named = ` --data-dir ${location.directory} `
      for (const [path, command] of [
        ['/import', 'import PATH'],
        ['/connect?client=claude-code', 'connect claude-code --write'],
      ])
        assert.ok((await visitor.get(path ?? '')).html.includes(`${named}${command}`), path)
    }
    {
      await using reachable = await listeningOn(location, { 'public-url': 'https://footnote.example' })
      const { html } = await new Visitor(reachable.address).get('/sign-in')
      assert.match(html, /sign-in-link/)
      assert.ok(!html.includes(location.directory), 'strangers are not told where the data is')
    }
    await remove()
  },
)

test('an idle connection is kept longer than proxies keep it', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const { headers } = await fetch(`${world.url}/healthz`)
  const NGINX_KEEPS_S = 60
  assert.ok(Number(/timeout=(\d+)/.exec(headers.get('Keep-Alive') ?? '')?.[1]) > NGINX_KEEPS_S)
})
