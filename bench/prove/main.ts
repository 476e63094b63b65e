import { parseArgs } from 'node:util'
import { faults } from './faults.ts'
import type { Proof } from './proof.ts'
import { attack, tests } from './tests.ts'

const EXIT_USAGE = 64

/** Every part there is. Without names, all run but `faults`, whose tests are among the tests. */
const PROOFS: readonly Proof[] = [tests, faults, attack]
const ALL = PROOFS.filter(proof => proof !== faults)

const HELP = `npm run prove -- [parts] [flags]

Shows with large numbers that the server holds. Without names it runs everything, for hours.

  tests             every test with large numbers; axe on every page; the MCP Inspector
  faults            of these only the tests that kill, fill, remove and damage, with a table of counts
  attack            the same as npm run attack

  --quick           short versions of attack
`

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, help: { type: 'boolean' } },
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
  const options = { quick: values.quick === true }
  const failed: string[] = []
  for (const { name, prove } of wanted) if (!(await prove(options))) failed.push(name)
  process.stdout.write(
    failed.length === 0 ? '\nEverything held.\n' : `\nDid not hold: ${failed.join(', ')}.\n`,
  )
  return failed.length === 0 ? 0 : 1
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`Error: ${(error as Error).message}\n`)
  process.exitCode = EXIT_USAGE
}
