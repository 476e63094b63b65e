import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { askAll, outcomeTable } from '../bench/eval/answers/answers.ts'
import { MADE_UP_FACTS, madeUpFiles } from '../bench/eval/answers/made-up-life.ts'
import { SAMPLE_FACTS, sampleFiles } from '../bench/eval/answers/sample-life.ts'
import { type AnswersWorld, answersWorld } from '../bench/eval/answers/world.ts'
import { count, ENGINES, type Engine, PROVING } from './engines.ts'
import { walk, walkerOf } from './printed-walk.ts'

const SAMPLES = { name: 'the samples', files: sampleFiles, facts: SAMPLE_FACTS }
const LARGER = { name: 'a larger life', files: madeUpFiles, facts: MADE_UP_FACTS }
const SAMPLE_SETS = PROVING ? [SAMPLES, LARGER] : [SAMPLES]
/** One engine is enough in `npm test`, because search-parity.test.ts compares the two. */
const TESTED_ENGINES: readonly Engine[] = PROVING ? ENGINES : ['sqlite']
const SAMPLE_CALLS: [string, Record<string, unknown>][] = [
  ['schema', {}],
  ['schema', { detail: 'full', stream: 'emails' }],
  ['query_records', { limit: 25 }],
  ['query_records', { stream: 'notes', fields: ['title', 'text', 'links'] }],
  ['query_records', { query: 'has:attachment' }],
  ['aggregate', { stream: 'emails', group_by: 'from_address' }],
  ['search', { query: 'engine overhaul cost' }],
  ['search', { query: 'who wrote to the harbour office about the berth, and what did they answer?' }],
  ['search', { query: 'mackerel', sort: 'newest', limit: 3 }],
  ['search', { query: 'from:hedda' }],
  ['search', { query: 'nothing of this kind xyzzy' }],
]

for (const { name, files, facts } of SAMPLE_SETS) {
  for (const engine of TESTED_ENGINES) {
    describe(`answers from ${name} [${engine}]`, () => {
      let world: AnswersWorld
      before(async () => {
        world = await answersWorld(engine, files)
      })
      after(() => world[Symbol.asyncDispose]())

      test(`AN-61 the fourteen questions are answered in each channel, within calls and bytes [${engine}]`, async () => {
        const outcomes = await askAll(world, facts)
        const open = outcomes.filter(({ missing, absent }) => missing !== null && absent === null)
        assert.equal(open.length, 0, outcomeTable(open))
        assert.equal(outcomes.length, 2 * 23)
        for (const { calls, bytes, absent, question } of outcomes)
          assert.ok(absent !== null || (calls > 0 && bytes > 0), question.no)
      })

      if (facts !== SAMPLE_FACTS) return
      test(`AN-62 every call, link and resource that is printed works when copied [${engine}]`, async () => {
        const starts = SAMPLE_CALLS.map(([tool, args]) => ({ tool, args }))
        const walked = await walk(walkerOf(world.client), world, starts, count(30, 400))
        const enough = walked.calls >= 30 && walked.links >= 30 && walked.passages >= 10
        assert.ok(enough, JSON.stringify(walked))
      })
    })
  }
}
