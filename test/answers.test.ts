import assert from 'node:assert/strict'
import { askAll, outcomeTable } from '../bench/eval/answers/answers.ts'
import { SAMPLE_FACTS, sampleFiles } from '../bench/eval/answers/sample-life.ts'
import { answersWorld } from '../bench/eval/answers/world.ts'
import { onEachEngine } from './engines.ts'

onEachEngine(
  'AN-61 the fourteen questions about the samples are answered in each channel, within calls and bytes',
  async engine => {
    await using world = await answersWorld(engine, sampleFiles)
    const outcomes = await askAll(world, SAMPLE_FACTS)
    const open = outcomes.filter(({ missing, absent }) => missing !== null && absent === null)
    assert.equal(open.length, 0, outcomeTable(open))
    assert.equal(outcomes.length, 2 * 23)
    for (const { calls, bytes, absent, question } of outcomes)
      assert.ok(absent !== null || (calls > 0 && bytes > 0), question.no)
  },
)
