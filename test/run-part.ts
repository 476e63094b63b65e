import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { inspect } from 'node:util'
import { recorded } from './figures.ts'
import { TEST_MS } from './limits.ts'

/** Runs test files one after the other in this process and writes the results as JSON. */
const [outcomes = '', ...files] = process.argv.slice(2)
const failures: unknown[] = []
const seconds: Record<string, number> = {}
const events = run({ files, isolation: 'none', timeout: TEST_MS })
for (const outcome of ['test:pass', 'test:fail'] as const) {
  events.on(outcome, ({ nesting, file = '', tags, details }) => {
    if (outcome === 'test:fail') {
      process.exitCode = 1
      failures.push(details.error)
    }
    if (nesting > 0) return
    const name = tags[0] ?? basename(file)
    seconds[name] = (seconds[name] ?? 0) + details.duration_ms / 1_000
  })
}
process.on('exit', () => writeFileSync(outcomes, JSON.stringify({ seconds, figures: recorded })))
// A failed test may have left a server or a timer that keeps this process from ending.
process.on('SIGTERM', () => {
  process.stderr.write(`Still open: ${process.getActiveResourcesInfo().join(', ')}\n`)
  for (const failure of failures) process.stderr.write(`${inspect(failure)}\n`)
  process.exit(1)
})
events.compose(spec).pipe(process.stdout)
