import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { recorded } from './figures.ts'

/** Runs test files one after the other in this process and writes what came of it, as JSON. */
const [outcomes = '', ...files] = process.argv.slice(2)
const seconds: Record<string, number> = {}
const events = run({ files, isolation: 'none' })
for (const outcome of ['test:pass', 'test:fail'] as const) {
  events.on(outcome, ({ nesting, file = '', tags, details }) => {
    if (outcome === 'test:fail') process.exitCode = 1
    if (nesting > 0) return
    const name = tags[0] ?? basename(file)
    seconds[name] = (seconds[name] ?? 0) + details.duration_ms / 1_000
  })
}
process.on('exit', () => writeFileSync(outcomes, JSON.stringify({ seconds, figures: recorded })))
events.compose(spec).pipe(process.stdout)
