import { parseArgs } from 'node:util'
import { ENGINES, type Engine } from './place.ts'

export interface Options {
  engines: readonly Engine[]
  json: boolean
  /** Whether the page of figures is written. */
  report: boolean
  /** Parts of the names of the rows that are measured; null for all rows. */
  only: readonly string[] | null
  size: Size
}

/** How much is measured. */
export interface Size {
  quick: boolean
  records: number
  ledgerRows: number
  /** For each row and each contender in it. */
  seconds: number
  stallSeconds: number
}

const STANDARD: Size = {
  quick: false,
  records: 100_000,
  ledgerRows: 1_000_000,
  seconds: 5,
  stallSeconds: 20,
}
const QUICK: Size = {
  quick: true,
  records: 20_000,
  ledgerRows: 200_000,
  seconds: 0.5,
  stallSeconds: 3,
}

/** A million records matter to search, and ten million lines of the ledger to what writes and shows them. */
const MILLION: Size = { ...STANDARD, records: 1_000_000, ledgerRows: 10_000_000 }
const MILLION_ROWS = ['search', 'ledger', 'pages']

export const HELP = `npm run bench -- [flags]

Measures the server against the floor: the same work done by node:http and one prepared statement.

  --quick                   20,000 records and short rows: little more than a minute for each engine
  --million                 1,000,000 records and 10,000,000 ledger rows; only search, ledger and pages unless a row is named
  --only NAME               only rows whose name holds NAME
  --engine sqlite|postgres  one engine instead of both
  --json                    one JSON value on stdout instead of the table
  --report                  writes this size to docs/reference/benchmarks.md, with plots and JSON
  --help                    this text
`

/** Wrong flags; the message says which. */
export class UsageError extends Error {}

/** Null if help is requested. */
export function readOptions(argv: string[]): Options | null {
  const values = parse(argv)
  if (values.help) return null
  const engine = ENGINES.find(candidate => candidate === values.engine)
  if (values.engine !== undefined && !engine) throw new UsageError(`--engine is ${ENGINES.join(' or ')}.`)
  if (values.report && values.only !== undefined)
    throw new UsageError('--report wants all rows: leave --only out.')
  return {
    engines: engine ? [engine] : ENGINES,
    json: values.json === true,
    report: values.report === true,
    only: values.only !== undefined ? [values.only] : values.million ? MILLION_ROWS : null,
    size: values.million ? MILLION : values.quick ? QUICK : STANDARD,
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: 'boolean' },
        million: { type: 'boolean' },
        only: { type: 'string' },
        engine: { type: 'string' },
        json: { type: 'boolean' },
        report: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
