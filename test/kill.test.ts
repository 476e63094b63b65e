import assert from 'node:assert/strict'
import { count, onEitherEngine, PROVING, storeLocation } from './engines.ts'
import { record } from './figures.ts'
import { runWithFault, Tally } from './kill-load.ts'
import { Random } from './random.ts'
import { ownerTokenFor, SpawnedServer } from './spawned-server.ts'

const KILLS = count(1, 100)

onEitherEngine(
  'a server killed during ingest loses nothing it acknowledged and shows nothing half-written',
  async engine => {
    const { location, remove } = await storeLocation(engine)
    const owner = await ownerTokenFor(location)
    const seed = Number(process.env.FOOTNOTE_SEED ?? (PROVING ? Date.now() % 1_000_000_000 : 1))
    const random = new Random(seed)
    const tally = new Tally()
    let server = await SpawnedServer.start(location)
    try {
      while (tally.rounds < KILLS) {
        server = await runWithFault({ server, owner, random, tally }, async () => {
          await server.kill()
          return SpawnedServer.start(location)
        })
      }
      assert.ok(tally.caught > 0, 'no kill met a request')
      assert.equal(tally.refused, 0)
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    } finally {
      await server[Symbol.asyncDispose]()
      await remove()
    }
    const { rounds: kills, caught, acknowledged, answers } = tally
    record('server killed under load', engine, { kills, caught, acknowledged, answers, lost: 0 })
  },
)
