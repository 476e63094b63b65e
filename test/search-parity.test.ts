import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare, fill } from '../bench/parity/compare.ts'
import { madeMessage } from '../bench/parity/made.ts'
import { drawQuery } from '../bench/parity/queries.ts'
import { count, TestServer } from './engines.ts'
import { Random } from './random.ts'
import { embedWords, wordMeaning } from './word-meaning.ts'

test('EV-1 EV-8 both engines return the same hits, order and windows, and every window is verified', async () => {
  const random = new Random(11)
  const messages = Array.from({ length: count(200, 5_000) }, (_, n) => madeMessage(random, n))
  for (let n = 0; n < count(2, 4); n++) {
    const parts = Array.from({ length: count(25, 60) }, () => madeMessage(random, n).body)
    messages.push({ ...madeMessage(random, n), body: parts.join(' ').repeat(3) })
  }
  const queries = Array.from({ length: count(45, 500) }, () => drawQuery(random, messages))
  await using one = await TestServer.start('sqlite', { meaning: wordMeaning })
  await using other = await TestServer.start('postgres', { meaning: wordMeaning })
  for (const server of [one, other]) {
    await fill(server, messages)
    await embedWords(server.store)
  }
  const { hits, windows, differences } = await compare([one, other], queries)
  assert.deepEqual(differences, [])
  assert.deepEqual([...one.failures, ...other.failures], [])
  assert.ok(hits > queries.length && windows > hits, `${hits} hits, ${windows} windows`)
})
