import type { Random } from './random.ts'
import { RARE_WORDS, WORDS } from './twin-world.ts'

export interface TwinRequest {
  path: string
  init?: RequestInit
}

export interface Asked {
  random: Random
  connection: string
  stream: string
  id: string
}

export type Parameters = Record<string, string | number | boolean>

export const handle = ({ connection, stream, id }: Asked) => `${connection}/${stream}:${id}`

/** Each parameter with some probability, its value from a list. */
export function some(
  random: Random,
  probability: number,
  choices: Record<string, Parameters[string][]>,
): Parameters {
  const chosen = Object.entries(choices).filter(() => random.chance(probability))
  return Object.fromEntries(chosen.map(([name, values]) => [name, random.pick(values)]))
}

export function query(random: Random): string {
  const parts = [
    () => random.pick(WORDS),
    () => random.pick(WORDS),
    () => random.pick(RARE_WORDS),
    () => `"${random.pick(WORDS)} ${random.pick(WORDS)}"`,
    () => `${random.pick(WORDS).slice(0, random.pick([2, 3]))}*`,
    () => `-${random.pick(WORDS)}`,
    () => random.pick(['from:ada', 'from:müller', 'in:harbour', 'with:ada', 'has:attachment', 'type:pdf']),
    () =>
      random.pick([
        'from:(ada OR müller)',
        'from:ada OR from:grace',
        'in:(general OR inbox)',
        'type:(pdf OR png)',
      ]),
    () => random.pick(['cc:ada', 'label:red', 'tag:harbour', 'subject:walrus', 'is:unread', 'source:left']),
    () =>
      random.pick([
        'newer_than:115d',
        'older_than:120d',
        'from:adda',
        'in:harbur',
        '"walrus harbour report"',
      ]),
    () =>
      random.pick(['from:me', 'to:me', 'person:me', '-from:ada', '漢', 'left', 'il*', 'zzzz', '"harbour']),
    () =>
      random.pick([
        '-in:harbour',
        'to:ada',
        'person:grace',
        '-label:red',
        'filename:plan',
        'from:me OR to:me',
      ]),
    () => random.pick(['grace ada', 'who is ada', 'latest', 'what did müller say about the harbour']),
    () => random.pick(['on:2026-02-01', 'after:2026-01-31', 'in February', 'walruss', 'harbur', 'reprot']),
  ]
  return Array.from({ length: random.integer(1, 4) }, () => random.pick(parts)()).join(' ')
}
