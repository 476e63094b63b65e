import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { CHECKS } from '../conformance/checks.ts'
import { ROWS } from '../conformance/rows.ts'

const ROOT = join(import.meta.dirname, '..')
/** A string that begins with row ids: the title of a test or of one of its cases. */
const CITATION = /(['"`])((?:PC-\d+[ :])+)/g

/** The test files that cite a row, by row. */
export function citations(): Map<string, string[]> {
  const cited = new Map<string, string[]>()
  for (const folder of ['src', 'test']) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    for (const file of files.filter(each => each.endsWith('.test.ts')).sort()) {
      const text = readFileSync(join(ROOT, folder, file), 'utf8')
      const ids = [...text.matchAll(CITATION)].flatMap(match => match[2]?.match(/PC-\d+/g) ?? [])
      const path = posix.join(folder, file.replaceAll('\\', '/'))
      for (const id of new Set(ids)) cited.set(id, [...(cited.get(id) ?? []), path])
    }
  }
  return cited
}

/** The rows that no test or check covers. */
export function uncoveredRows(): string[] {
  const cited = citations()
  return ROWS.filter(({ id }) => !cited.has(id) && checksOf(id).length === 0).map(({ id }) => id)
}

function checksOf(id: string): string[] {
  return CHECKS.filter(({ rows }) => rows.includes(id)).map(({ title }) => title)
}

const HEAD = `# Conformance to PDPP Core

This page is generated; \`npm run pdpp-page\` writes it.

Footnote implements PDPP Core 0.1 as an authorization server and as a resource server, and its optional profiles for
lexical search and aggregation. The table lists every rule, and what shows that it holds:

- a check of the [conformance suite](../../conformance/README.md), which sees a server from outside. \`npm test\` runs it
  against Footnote on both engines, where every check must pass, and against a server that breaks one rule at a time, where
  every check must fail;
- tests that cite the rule in their titles, for what cannot be seen from outside: what an owner sees and decides, what is
  stored, and what happens later.

Levels: M must, S should, P must for those who claim the profile, O optional.

## Deviations

- PC-54: a replaced refresh token ends its family at once where the client sent \`authorization_details\`. For clients that
  sent none, such as today's MCP hosts, a replaced token still works for 30 seconds, because their processes refresh at the
  same time.
- PC-64, PC-73: the metadata of a table that you imported yourself shows granted columns only, because its column names are
  your data. There, a hidden and an unknown field are both 403 \`field_not_granted\`.
- PC-29: a stream whose name has more than 128 characters, white space, \`/\`, \`\\\`, \`:\` or \`..\` is refused, because
  result ids are made of these names.
- PC-61: on \`/mcp\` an ended grant is 401, because MCP hosts need that to ask again. On \`/v1\` it is 403.
`

export function conformancePage(): string {
  const cited = citations()
  const subjects = Map.groupBy(ROWS, ({ subject }) => subject)
  const sections = [...subjects].map(([subject, rows]) => {
    const lines = rows.map(({ id, level, rule }) => {
      const tests = (cited.get(id) ?? []).map(path => `[${posix.basename(path)}](../../${path})`)
      const shown = [...checksOf(id), ...tests].join('; ')
      return `| ${id} | ${level} | ${rule} | ${shown} |`
    })
    return [`## ${subject}`, '', '| row | level | rule | shown by |', '|---|---|---|---|', ...lines, ''].join(
      '\n',
    )
  })
  return `${HEAD}\n${sections.join('\n')}`
}
