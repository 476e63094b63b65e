import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROVING } from '../engines.ts'
import { record } from '../figures.ts'
import { runWithFault, Tally } from '../kill-load.ts'
import { OwnPostgres } from '../postgres.ts'
import { Random } from '../random.ts'
import { ownerTokenFor, SpawnedServer } from '../spawned-server.ts'

const KILLS = 20
const BACK_WITHIN_MS = 60_000

// It needs its own PostgreSQL server, which takes seconds to create and to restart.
const proving = PROVING ? test : () => {}
proving(
  'PostgreSQL killed under load: nothing acknowledged is lost, and the server comes back by itself',
  async () => {
    await using postgres = await OwnPostgres.start()
    const directory = await mkdtemp(join(tmpdir(), 'footnote-test-'))
    const location = { engine: 'postgres', url: postgres.urlOf(), directory } as const
    const owner = await ownerTokenFor(location)
    const random = new Random(Number(process.env.FOOTNOTE_SEED ?? 1))
    const tally = new Tally()
    {
      await using server = await SpawnedServer.start(location)
      while (tally.rounds < KILLS) {
        await runWithFault({ server, owner, random, tally }, async () => {
          await postgres.kill()
          await postgres.restart()
          await untilHealthy(server)
          return server
        })
      }
      const { body: report } = await server.json('/v1/owner/ledger/verify', owner, { method: 'POST' })
      assert.equal(report.state, 'intact', JSON.stringify(report))
    }
    await rm(directory, { recursive: true })
    const { rounds: kills, caught, acknowledged, answers, refused } = tally
    record('PostgreSQL killed under load', 'postgres', {
      kills,
      caught,
      acknowledged,
      answers,
      refused,
      lost: 0,
    })
  },
)

async function untilHealthy(server: SpawnedServer): Promise<void> {
  const since = performance.now()
  while ((await fetch(`${server.url}/healthz`)).status !== 200) {
    assert.ok(performance.now() - since < BACK_WITHIN_MS, 'the server did not come back')
    await sleep(20)
  }
}
