import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Budget, ClientLeft, SEARCH_ALLOWANCE } from './budget.ts'
import { Turns } from './turns.ts'

/** Blocks the thread until the turn is over. */
function work(budget: Budget): void {
  while (!budget.isDue);
}

test('work that a request leaves behind ends, and does not block the thread for others', async () => {
  const turns = new Turns()
  const left: Promise<unknown>[] = []
  const request = (caller: string) =>
    turns.run(caller, async turn => {
      const budget = new Budget(SEARCH_ALLOWANCE, turn)
      const goOn = async () => {
        for (let step = 0; step < 1_000; step++) {
          work(budget)
          await budget.pause()
        }
      }
      left.push(
        goOn().then(
          () => 'went on',
          error => error,
        ),
      )
      work(budget)
      await budget.pause()
    })
  for (let round = 0; round < 3; round++) {
    const served = Promise.all(['a', 'b', 'c'].map(request)).then(() => true)
    assert.ok(await Promise.race([served, sleep(60_000, false, { ref: false })]), `round ${round} is served`)
  }
  const ends = await Promise.race([Promise.all(left), sleep(60_000, null, { ref: false })])
  assert.ok(
    ends?.every(end => end instanceof ClientLeft),
    'nothing runs on after its request',
  )
})
