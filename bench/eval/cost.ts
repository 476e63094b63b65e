import { REFINEMENTS, type Without } from '../../src/model/search/refinements.ts'
import type { Engine } from '../../test/places.ts'
import { mail } from '../mail.ts'
import { BY_TEXT, CLASSES, misspelt } from '../rows/search-classes.ts'
import { JudgedServer } from './server.ts'

const ROUNDS = 12
/** The largest ratio allowed. */
const MOST = 1.1

interface Variant {
  name: string
  without: Without
}

/**
 * Prints the processor time of a search of each class of `npm run bench`, with all refinements and without them. The
 * variants take turns, and processor time is counted, so that other work on the machine matters little.
 */
export async function printCost(
  engine: Engine,
  { records, only, isEach }: { records: number; only: string; isEach: boolean },
): Promise<void> {
  const documents = Array.from({ length: records }, (_, n) => {
    const { id, subject, from, body, received_at } = mail(n)
    return { id, title: subject, text: body, who: from, at: received_at }
  })
  const none: Variant = { name: 'none of them', without: REFINEMENTS }
  const variants: Variant[] = [{ name: 'all', without: [] }, none]
  if (isEach) variants.push(...REFINEMENTS.map(name => ({ name: `without ${name}`, without: [name] })))
  const classes = [
    ...CLASSES,
    ...BY_TEXT.map(({ name, queries }) => ({ name, queries: queries(records) })),
    { name: 'a misspelt word', queries: misspelt(10) },
  ]
  await using server = await JudgedServer.fill(engine, { name: 'cost', documents }, null)
  for (const { name, queries } of classes.filter(({ name }) => name.includes(only))) {
    const times = await measure(server, queries, variants)
    const base = times.get(none) ?? 0
    const [whole = 0] = times.values()
    console.log(`${name}: ${line(whole, base)}${whole / base > MOST ? ', more than 10 % slower' : ''}`)
    for (const [variant, ms] of [...times].slice(2))
      console.log(`  ${variant.name}: ${(whole - ms).toFixed(2)} ms less`)
  }
}

function line(whole: number, base: number): string {
  return `${whole.toFixed(2)} ms with all refinements, ${base.toFixed(2)} ms with none, ${(whole / base).toFixed(2)} ×`
}

/** The milliseconds of processor time for one search, in the round that took the least: other work only adds to it. */
async function measure(
  server: JudgedServer,
  queries: readonly string[],
  variants: readonly Variant[],
): Promise<Map<Variant, number>> {
  const rounds = new Map<Variant, number[]>(variants.map(variant => [variant, []]))
  const askers = variants.map(({ without }) => server.asker(without, 'limit=25'))
  for (let round = -1; round < ROUNDS; round++) {
    for (const [i, variant] of variants.entries()) {
      const before = process.cpuUsage()
      for (const query of queries) await askers[i]?.(query)
      const { user, system } = process.cpuUsage(before)
      // The first round warms up.
      if (round >= 0) rounds.get(variant)?.push((user + system) / 1_000 / queries.length)
    }
  }
  return new Map([...rounds].map(([variant, all]) => [variant, Math.min(...all)]))
}
