import assert from 'node:assert/strict'
import type { PlainGrant, PlainSource } from './brute-force-grant.ts'
import type { PlainRecord } from './brute-force-query.ts'
import { tryByTime } from './checked-by-time.ts'
import { Client, type World } from './checked-client.ts'
import { tryAggregate, trySchema, tryStreams } from './checked-figures.ts'
import { tryList, tryRecord, tryWindow } from './checked-reads.ts'
import { trySearch } from './checked-search.ts'
import { count, onEachEngine, PROVING, TestServer } from './engines.ts'
import { Random } from './random.ts'
import {
  type Line,
  RECORD_IDS,
  randomDeclaration,
  randomGrant,
  randomLines,
  sourceOf,
} from './random-world.ts'

const WORLDS = { sqlite: count(4, 500), postgres: count(2, 500) }
const GRANTS_PER_WORLD = 8
const REQUESTS_PER_GRANT = 12
const TRIES = [
  tryList,
  tryList,
  tryByTime,
  tryByTime,
  tryRecord,
  tryWindow,
  tryAggregate,
  tryAggregate,
  tryAggregate,
  tryStreams,
  trySchema,
  trySearch,
  trySearch,
  trySearch,
]
/** FOOTNOTE_SEED repeats a failed world. Only `npm run prove` tries new worlds. */
const SEED = Number(process.env.FOOTNOTE_SEED ?? (PROVING ? Date.now() % 1_000_000_000 : 1))
/** Without a given seed, each engine has different worlds. */
const FIRST_SEED = { sqlite: SEED, postgres: SEED + (process.env.FOOTNOTE_SEED ? 0 : WORLDS.sqlite) }

onEachEngine('RS-2 RS-4 RS-5 random reads show exactly what a brute-force grant allows', async engine => {
  const worlds = process.env.FOOTNOTE_SEED ? 1 : WORLDS[engine]
  let made = 0
  for (let first = 0; first < worlds; first += 50) {
    await using server = await TestServer.start(engine)
    for (let no = first; no < Math.min(worlds, first + 50); no++) {
      const seed = FIRST_SEED[engine] + no
      try {
        made += await tryWorld(server, new Random(seed), seed)
        assert.deepEqual(server.failures, [])
      } catch (error) {
        const { message, stack } = error as Error
        throw new Error(`FOOTNOTE_SEED=${seed} on ${engine}: ${message}`, { cause: stack })
      }
    }
  }
  assert.ok(made > (worlds * GRANTS_PER_WORLD) / 2, `only ${made} grants could be made`)
})

async function tryWorld(server: TestServer, random: Random, seed: number): Promise<number> {
  const world = await makeWorld(server, random, seed)
  let made = 0
  for (let no = 0; no < GRANTS_PER_WORLD; no++) {
    const grants: PlainGrant[] = []
    const ids: string[] = []
    for (let part = random.chance(0.5) ? 2 : 1; part > 0; part--) {
      const grant = { ...randomGrant(random, world.connections), ...elsewhere(world, grants[0]) }
      const answer = await server.post('/v1/owner/grants', {
        client_name: 'Client',
        connections: world.connections,
        ...grant,
      })
      // A grant that would open nothing, or that names something that does not exist, is refused as a whole.
      if (answer.status !== 201) continue
      grants.push({ connections: world.connections, ...grant })
      ids.push(...answer.body.grants.map(({ grant_id }: { grant_id: string }) => grant_id))
    }
    if (grants.length === 0) continue
    made++
    const token = await server.tokenFor({ grant_ids: ids })
    const client = new Client(world, grants, token)
    for (let request = 0; request < REQUESTS_PER_GRANT; request++) await random.pick(TRIES)(client)
  }
  for (const connection of world.connections) {
    await server.request(`/v1/owner/connections/${connection}`, { method: 'DELETE' })
  }
  return made
}

/** A second grant often covers the connections that the first does not, with fewer fields. */
function elsewhere({ random, connections }: World, first: PlainGrant | undefined): PlainGrant {
  const others = connections.filter(connection => !first?.connections?.includes(connection))
  return first && others.length > 0 && random.chance(0.7)
    ? { connections: others, fields: ['id', 'title', 'kind', 'n'] }
    : {}
}

async function makeWorld(server: TestServer, random: Random, seed: number): Promise<World> {
  const world: World = { server, random, connections: [], sources: [], records: [] }
  const declarations = ['left', 'right'].map(side => randomDeclaration(random, `${side}-${seed}`))
  for (const declaration of [declarations[0], declarations[0], declarations[1]]) {
    if (!declaration) continue
    const connector_key = declaration.display.name
    const connection = await server.connect(declaration, `Connection ${connector_key}`)
    world.connections.push(connection)
    for (const declared of declaration.streams) {
      const source = { ...sourceOf(connection, declared), declared, connector_key }
      const lines = randomLines(random, declared, RECORD_IDS)
      const half = random.integer(0, lines.length)
      for (const part of [lines.slice(0, half), lines.slice(half)]) {
        const outcome = await server.ingest(declared.name, connection, part)
        assert.deepEqual([outcome.status, outcome.body.rejected], [200, 0], JSON.stringify(outcome.body))
      }
      world.sources.push(source)
      world.records.push(...recordsOf(source, lines))
    }
  }
  return world
}

function recordsOf(source: PlainSource, lines: readonly Line[]): PlainRecord[] {
  const live = new Map<string, PlainRecord>()
  for (const [order, { op, data, emitted_at }] of lines.entries()) {
    const id = String(data.id)
    const record = live.get(id) ?? { source, id, versions: [] }
    if (op === 'delete') live.delete(id)
    else live.set(id, record)
    record.versions.push({ order, emitted_at, data })
  }
  return [...live.values()]
}
