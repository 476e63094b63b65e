import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** Runs test files one after the other in this process and writes how many seconds each took, as JSON. */
const [times = '', ...files] = process.argv.slice(2)
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
process.on('exit', () => writeFileSync(times, JSON.stringify(seconds)))
events.compose(spec).pipe(process.stdout)
