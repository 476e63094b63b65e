import { parseArgs } from 'node:util'
import { ENGINES } from '../place.ts'
import { exports } from './exports.ts'
import { faults } from './faults.ts'
import { fuzz } from './fuzz/fuzz.ts'
import { imap } from './imap.ts'
import { largeImports } from './large-imports.ts'
import { meaning } from './meaning.ts'
import type { Proof } from './proof.ts'
import { soak } from './soak/soak.ts'
import { attack, tests } from './tests.ts'

const EXIT_USAGE = 64

/**
 * Every part. Without names, all run except `faults` and `imap`, whose tests are among the tests, and `exports`, which
 * needs a folder.
 */
const PROOFS: readonly Proof[] = [tests, faults, imap, fuzz, soak, largeImports, meaning, exports, attack]
const ALL = PROOFS.filter(proof => proof !== faults && proof !== imap && proof !== exports)

const HELP = `npm run prove -- [parts] [flags]

Shows with large numbers that the server holds. Without names it runs everything, for hours.

  tests             every test with large numbers; axe on every page; the MCP Inspector
  faults            of these only the tests that kill, fill, remove and damage, with a table of counts
  imap              of these only the tests of live mail, with 10,000 messages on a Dovecot
  fuzz              made input for ids, handles, cursors, queries, importers, HTTP, MCP and OAuth, a minute each
  soak              half an hour of reads, searches, imports and sign-ins over HTTP and MCP on each engine
  large-imports     imports of 1 GB of each format that streams, with memory and records a second
  meaning           installs the model that says what texts mean, and lets it read 10,000 mails
  exports           imports of every folder in --data DIR, twice, with an independent count of the items
  attack            the same as npm run attack

  --quick           short versions: fuzz five seconds each, soak two minutes, 500 mails for meaning, large-imports, attack
  --seconds NUMBER  so long for each fuzzer
  --only NAME       only the fuzzers, the files of faults or the formats of large-imports whose name contains NAME
  --megabytes NUMBER  so large is each file of large-imports, instead of 1,024
  --engine NAME     sqlite or postgres instead of both, for soak and meaning
  --data DIR        a folder with a folder for each export
`

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      engine: { type: 'string' },
      megabytes: { type: 'string' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const unknown = positionals.find(name => !PROOFS.some(proof => proof.name === name))
  if (unknown !== undefined) {
    process.stderr.write(
      `There is no part ${unknown}. Known: ${PROOFS.map(({ name }) => name).join(', ')}.\n`,
    )
    return EXIT_USAGE
  }
  const wanted = positionals.length > 0 ? PROOFS.filter(({ name }) => positionals.includes(name)) : ALL
  const engines = ENGINES.filter(engine => values.engine === undefined || engine === values.engine)
  const options = {
    quick: values.quick === true,
    engines,
    seconds: values.seconds === undefined ? null : Number(values.seconds),
    only: values.only ?? '',
    megabytes: values.megabytes === undefined ? null : Number(values.megabytes),
    data: values.data ?? null,
  }
  const failed: string[] = []
  for (const { name, prove } of wanted) if (!(await prove(options))) failed.push(name)
  process.stdout.write(
    failed.length === 0 ? '\nEverything held.\n' : `\nDid not hold: ${failed.join(', ')}.\n`,
  )
  return failed.length === 0 ? 0 : 1
}

// The hook that stops PostgreSQL at exit would otherwise end this process with 0, whatever its exit code was.
process.exit(
  await run().catch((error: Error) => {
    process.stderr.write(`Error: ${error.message}\n`)
    return EXIT_USAGE
  }),
)
