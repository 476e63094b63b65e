import type { Engine } from '../../../test/places.ts'
import { askAll, outcomeTable } from './answers.ts'
import type { Facts } from './facts.ts'
import { MADE_UP_FACTS, madeUpFiles } from './made-up-life.ts'
import { SAMPLE_FACTS, sampleFiles } from './sample-life.ts'
import { answersWorld } from './world.ts'

interface Life {
  name: string
  files: Parameters<typeof answersWorld>[1]
  facts: Facts
}

const LIVES: readonly Life[] = [
  { name: 'samples', files: sampleFiles, facts: SAMPLE_FACTS },
  { name: 'life', files: madeUpFiles, facts: MADE_UP_FACTS },
]

/** Prints the table of each life on each engine, and returns whether every answer was reached. */
export async function printAnswers(engines: readonly Engine[], only: string | undefined): Promise<boolean> {
  let isReached = true
  for (const { name, files, facts } of LIVES.filter(life => (only ?? life.name) === life.name)) {
    for (const engine of engines) {
      await using world = await answersWorld(engine, files)
      const outcomes = await askAll(world, facts)
      const reached = outcomes.filter(({ missing }) => missing === null).length
      console.log(
        `\n${name} on ${engine}: ${reached} of ${outcomes.length} reached\n${outcomeTable(outcomes)}`,
      )
      isReached &&= reached === outcomes.length
    }
  }
  return isReached
}
