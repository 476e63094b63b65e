import type { RowOutcome, State } from './check.ts'

const STATES: readonly State[] = ['pass', 'fail', 'not seen']

/** The rows as a table for people. */
export function tableOf(rows: readonly RowOutcome[]): string {
  const lines = rows.map(({ id, level, state, rule, reason }) => {
    const told = reason === null ? '' : `\n${' '.repeat(20)}${reason}`
    return `${id.padEnd(7)} ${level}  ${state.padEnd(8)} ${rule}${told}`
  })
  return ['row     lvl state    rule', ...lines, '', summaryOf(rows)].join('\n')
}

export function summaryOf(rows: readonly RowOutcome[]): string {
  const counted = STATES.map(state => `${rows.filter(row => row.state === state).length} ${state}`)
  return `${rows.length} rows: ${counted.join(', ')}`
}

export function jsonOf(url: string, rows: readonly RowOutcome[]): string {
  return JSON.stringify({ object: 'pdpp_conformance', url, rows }, null, 2)
}
