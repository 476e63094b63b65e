import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LighterFirst } from './lighter-first.ts'

function turnsWithClock() {
  const clock = { ms: 0 }
  return { clock, turns: new LighterFirst(() => clock.ms) }
}

/** Runs work for a caller until `end` is called. */
function opened(turns: LighterFirst, caller: string) {
  const { promise, resolve: end } = Promise.withResolvers<void>()
  return { ended: turns.run(caller, () => promise), end }
}

async function hasPassed(passing: Promise<void>): Promise<boolean> {
  const settled = passing.then(() => true)
  for (let i = 0; i < 5; i++) await new Promise(setImmediate)
  return Promise.race([settled, Promise.resolve(false)])
}

test('a heavy request waits for lighter ones of other callers, and the wait does not count as its own time', async () => {
  const { clock, turns } = turnsWithClock()
  await turns.run('heavy', async turn => {
    clock.ms = 500
    const other = opened(turns, 'light')
    const passing = turn.pass()
    assert.equal(await hasPassed(passing), false)
    assert.equal(turn.isOver, true, 'work that comes meanwhile waits too')
    clock.ms = 520
    other.end()
    await other.ended
    assert.equal(await hasPassed(passing), true)
    assert.equal(turn.usedMs(), 500)
  })
})

test('a light request waits for nobody, and a heavy one waits neither for its own caller nor for other heavy ones', async () => {
  const { clock, turns } = turnsWithClock()
  const heavy = opened(turns, 'heavy')
  clock.ms = 500
  const own = opened(turns, 'mine')
  await turns.run('mine', async turn => {
    assert.equal(await hasPassed(turn.pass()), true, 'light')
    clock.ms = 1_000
    assert.equal(await hasPassed(turn.pass()), true, 'heavy, beside a heavy one and one of its own caller')
  })
  for (const each of [heavy, own]) each.end()
  await Promise.all([heavy.ended, own.ended])
})

test('a heavy request waits at most as long as it has run', async () => {
  const { clock, turns } = turnsWithClock()
  await turns.run('heavy', async turn => {
    clock.ms = 200
    for (let no = 0; no < 3; no++) {
      const other = opened(turns, `light ${no}`)
      const passing = turn.pass()
      assert.equal(await hasPassed(passing), no === 2, String(no))
      clock.ms += 100
      other.end()
      await Promise.all([other.ended, passing])
    }
    assert.equal(turn.usedMs(), 300)
  })
})
