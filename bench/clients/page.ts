import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Seen, STEPS, worked } from './journey.ts'
import { NOT_DRIVEN } from './not-driven.ts'
import { REFUSALS } from './refusals.ts'

const PAGE = join(import.meta.dirname, '../../docs/reference/clients.md')
const NAMES: Record<string, string> = { revoked: 'removed' }
/** What comes after this heading is written by hand. */
const BY_HAND = '## What to know'

/** What was observed of a client in one way, or why it did not work. */
export interface Row {
  host: string
  version: string
  transport: string
  way: string
  /** The date of the observation. */
  date: string
  seen: Seen | string
}

/** Writes the generated part of the page and leaves the rest unchanged. */
export async function writePage(kept: { rows: readonly Row[]; missing: readonly string[] }): Promise<void> {
  const page = await readFile(PAGE, 'utf8')
  await writeFile(PAGE, generated(kept) + page.slice(page.indexOf(BY_HAND)))
}

function generated({ rows, missing }: { rows: readonly Row[]; missing: readonly string[] }): string {
  const day =
    rows
      .map(({ date }) => date)
      .sort()
      .at(-1) ?? ''
  const month = monthOf(day)
  const summary = [...Map.groupBy(rows, ({ host }) => host)].map(([host, own]) => {
    const how = own.map(({ transport, way }) => wayText(transport, way)).join(', ')
    return `| ${host} | ${own[0]?.version} | ${how} | ${verdict(own)} | ${monthOf(own[0]?.date ?? '')} |`
  })
  const left = missing.map(name => ({ name, why: 'it was left out of the last run' }))
  const others = [...left, ...NOT_DRIVEN].map(
    ({ name, why }) => `| ${name} | not tried | – | ${why} | ${month} |`,
  )
  const details = rows.map(({ host, transport, way, seen }) => {
    const cells =
      typeof seen === 'string'
        ? [`failed: ${plain(seen)}`, ...STEPS.slice(1).map(() => '')]
        : STEPS.map(step => plain(seen[step]))
    return `| ${host} | ${wayText(transport, way)} | ${cells.join(' | ')} |`
  })
  return `# Clients

What real clients do with Footnote. \`npm run clients\` writes this page up to *What to know*: it installs each client from
npm into a folder, points it at a server of its own, and drives it with a small program in place of a model. That program
searches, takes ids and calls from what it is given, reads the conversation and a window, fetches, is refused in every way
there is, waits until its token has expired, and has its access removed. Signing in is done in Chromium.

| client | version | tried how | result | date |
|---|---|---|---|---|
${[...summary, ...others].join('\n')}

## What was seen

Seen on ${day}. *channel* is the half of a result that the model is given, sizes are of that.
*window* is the call that search showed, copied. *link* says whether search and fetch gave a citation link. *errors* says
whether the model was given the code of every refusal: ${REFUSALS.map(({ code }) => `\`${code}\``).join(', ')}.
*expired* is a call after the token's eight hours, where the client has signed in. *removed* is what a call says after the owner
removed the access.

No model was used, so the table shows what a model is given, not what it does with that. Settings that differ from the
default: the server fetches no client documents; Claude Code has \`ENABLE_TOOL_SEARCH=false\`, so that it lists all tools at
once; Gemini CLI has a fixed model; Cline waits two minutes for a server. Codex was driven as three models: one that it does not
know is shown every tool, \`gpt-5.5\` searches for tools first, \`gpt-6.1-sol\` writes programs that call them and is given what
they print. Qwen Code names the tools in its prompt and calls them by a tool of its own. Gemini CLI has \`oauth.enabled\` in its
entry and asks in a terminal whether it may open the browser; Copilot CLI and Qwen Code open it by themselves while they wait
in a terminal, and were then started again for the calls. Cline signs in only from a dialog in its own window, which the
program does not drive. Continue does not sign in by itself: in a terminal it starts mcp-remote instead, and with \`-p\` it
fails. That the MCP Inspector signs in is in \`npm run prove\`.

| client | how | tools | channel | search | conversation | window | fetch | link | errors | expired | removed |
|---|---|---|---|---|---|---|---|---|---|---|---|
${details.join('\n')}

`
}

function monthOf(date: string): string {
  return new Date(date).toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
}

function wayText(transport: string, way: string): string {
  return `${transport === 'http' ? 'HTTP' : 'stdio'} ${way === 'token' ? 'by token' : 'by signing in'}`
}

function verdict(rows: readonly Row[]): string {
  const wrong = rows.flatMap(({ transport, way, seen }) => {
    const how = wayText(transport, way)
    if (typeof seen === 'string') return [`${how} failed`]
    const missed = STEPS.filter(step => !worked(step, seen[step]))
    return missed.length > 0 ? [`${how}: not ${missed.map(step => NAMES[step] ?? step).join(', ')}`] : []
  })
  return wrong.length === 0 ? 'every step works' : `every step works, except ${wrong.join('; ')}`
}

function plain(text: string): string {
  return text
    .replaceAll('|', '/')
    .replaceAll(/[<>`]/g, '')
    .replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, 'ORIGIN')
}
