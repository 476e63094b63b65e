import assert from 'node:assert/strict'
import { RateLimit, type Share } from '../src/origin/rate-limit.ts'
import { spendLimits } from '../src/store/access/limit-usage.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { onEachEngine, storeLocation } from './engines.ts'

const RATE = { perSecond: 1, burst: 20 }
const CALLER = '192.0.2.1'
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000)

/** How many of 100 simultaneous requests are allowed. */
function allowed(limit: RateLimit, moment: Date): number {
  let count = 0
  for (let n = 0; n < 100; n++) {
    try {
      limit.take(CALLER, moment)
      count++
    } catch {}
  }
  return count
}

onEachEngine(
  'what a caller used is shared between servers, and is earned back while it cannot be told',
  async engine => {
    const { location, remove } = await storeLocation(engine)
    await using made = new AsyncDisposableStack()
    made.defer(remove)
    const database = made.use(await openDatabase(location, 'writer'))
    let stalled = Promise.resolve()
    const share: Share = async (spent, now, most) => {
      await stalled
      return spendLimits(database, { owner_id: 'own_a', spent, now, most })
    }
    const [here, there] = [new RateLimit('test', RATE, share), new RateLimit('test', RATE, share)]

    assert.equal(allowed(here, at(0)), 20)
    await here.settle()
    there.take(CALLER, at(0))
    there.take(CALLER, at(0))
    await there.settle()
    assert.equal(allowed(there, at(0)), 0)

    const stall = Promise.withResolvers<void>()
    stalled = stall.promise
    assert.equal(allowed(here, at(1_000)), 20)
    here.take(CALLER, at(2_000))
    stall.resolve()
    await here.settle()
    assert.equal(allowed(here, at(2_000)), 19)
    await here.settle()
  },
)

onEachEngine('a clock that was ahead and is set back locks nobody out', async engine => {
  const { location, remove } = await storeLocation(engine)
  await using made = new AsyncDisposableStack()
  made.defer(remove)
  const database = made.use(await openDatabase(location, 'writer'))
  const share: Share = (spent, now, most) => spendLimits(database, { owner_id: 'own_a', spent, now, most })
  const [alone, sharing, later] = [
    new RateLimit('alone', RATE),
    new RateLimit('test', RATE, share),
    new RateLimit('test', RATE, share),
  ]
  const year = 365 * 86_400
  for (const limit of [alone, sharing]) {
    assert.equal(allowed(limit, at(year)), 20)
    await limit.settle()
    allowed(limit, at(0))
    await limit.settle()
    assert.equal(allowed(limit, at(30)), 20)
  }
  await sharing.settle()
  later.take(CALLER, at(60))
  later.take(CALLER, at(60))
  await later.settle()
  assert.equal(allowed(later, at(60)), 18, 'another server is not told of the time that was wrong')
})
