import { ROWS } from './rows.ts'
import type { Target } from './target.ts'

/** One rule as it can be checked from outside. It throws if the server breaks the rule or if nothing can be checked. */
export interface Check {
  /** The rows that it checks, at least in part. */
  rows: readonly string[]
  title: string
  run(target: Target): Promise<void>
}

export type State = 'pass' | 'fail' | 'not seen'

export interface Outcome {
  check: Check
  state: State
  reason: string | null
}

export interface RowOutcome {
  id: string
  level: string
  subject: string
  rule: string
  state: State
  reason: string | null
}

class Failed extends Error {}
class NotSeen extends Error {}

export function check(rows: string, title: string, run: Check['run']): Check {
  return { rows: rows.split(' '), title, run }
}

export function expect(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Failed(message)
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [shown, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  expect(shown === wanted, `${what} is ${shown ?? 'missing'}, not ${wanted}`)
}

export function notSeen(reason: string): never {
  throw new NotSeen(reason)
}

export async function runChecks(checks: readonly Check[], target: Target): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const each of checks) outcomes.push(await runOne(each, target))
  return outcomes
}

async function runOne(each: Check, target: Target): Promise<Outcome> {
  try {
    await each.run(target)
    return { check: each, state: 'pass', reason: null }
  } catch (error) {
    if (error instanceof NotSeen) return { check: each, state: 'not seen', reason: error.message }
    if (error instanceof Failed) return { check: each, state: 'fail', reason: error.message }
    // An answer of another shape than a check can read.
    return { check: each, state: 'fail', reason: `The answer cannot be read: ${String(error)}` }
  }
}

/** A row fails if any of its checks fails, and passes if at least one of them could be run. */
export function rowOutcomes(outcomes: readonly Outcome[]): RowOutcome[] {
  return ROWS.map(row => {
    const of = outcomes.filter(({ check: { rows } }) => rows.includes(row.id))
    const failed = of.filter(({ state }) => state === 'fail')
    if (failed.length > 0) return { ...row, state: 'fail', reason: reasonsOf(failed) }
    if (of.some(({ state }) => state === 'pass')) return { ...row, state: 'pass', reason: null }
    if (of.length === 0) return { ...row, state: 'not seen', reason: 'This cannot be seen from outside.' }
    return { ...row, state: 'not seen', reason: reasonsOf(of) }
  })
}

function reasonsOf(outcomes: readonly Outcome[]): string {
  return [...new Set(outcomes.map(({ reason }) => reason))].join(' ')
}
