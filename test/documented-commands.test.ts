import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { PROVING } from './engines.ts'
import { freePort } from './free-port.ts'

const ROOT = join(import.meta.dirname, '..')
const BEGIN = '\u001e'
const BY_NPM = 'npm exec -- footnote'
const DIRECTLY = `${process.execPath} ${join(ROOT, 'bin/footnote.js')}`

interface Block {
  language: string
  text: string
}

function blocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
}

/** The commands of a page. Only the first is run with npm, because npm takes longer than the commands themselves. */
function throughNpmOnce(shell: readonly string[]): string[] {
  let asked = 0
  return shell.map(text => text.replaceAll(BY_NPM, () => (asked++ === 0 || PROVING ? BY_NPM : DIRECTLY)))
}

/**
 * The commands of a page as one shell session. Only the server runs in the background, and commands that would run
 * these tests again are left out.
 */
function session(shell: readonly string[]): string {
  const ready =
    'until grep -q "stops the server" $FOOTNOTE_DATA_DIR.said || ! kill -0 $SERVER; do sleep 0.1; done'
  const server = (line: string) =>
    `${line} > $FOOTNOTE_DATA_DIR.said 2>&1 & SERVER=$!\n${ready}\ncat $FOOTNOTE_DATA_DIR.said`
  const run = throughNpmOnce(shell).map(text =>
    text
      .replace(/^npm (ci|test|run check)$/gm, '')
      .replace(/^export FOOTNOTE_DATA_DIR=.*$/gm, '')
      .replace(/^npm start.*$/gm, server),
  )
  const end = `trap 'kill -- -$SERVER; wait' EXIT; trap 'exit 1' TERM`
  return ['set -m', end, ...run.map(text => `printf '${BEGIN}'\n${text}`)].join('\n')
}

/** The outputs of the shell blocks, in order. */
async function run(shell: readonly string[]): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-readme-'))
  const { FOOTNOTE_DATABASE_URL: _, ...rest } = process.env
  const env = {
    ...rest,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    FOOTNOTE_DATA_DIR: directory,
    FOOTNOTE_PORT: String(await freePort()),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  try {
    const bash = spawn('bash', ['-c', session(shell)], { cwd: ROOT, env, timeout: 120_000 })
    const said: string[] = []
    bash.stderr.setEncoding('utf8').on('data', text => said.push(text))
    let output = ''
    for await (const text of bash.stdout.setEncoding('utf8')) output += text
    assert.equal(output.split(BEGIN).length - 1, shell.length, said.join(''))
    return output.split(BEGIN).slice(1)
  } finally {
    await rm(directory, { recursive: true, force: true })
    await rm(`${directory}.said`, { force: true })
  }
}

/** Asserts that an answer matches the one shown, where a final `…` matches any text. */
function assertShown(actual: unknown, shown: unknown, place: string): void {
  if (typeof shown === 'string' && shown.endsWith('…')) {
    assert.ok(String(actual).startsWith(shown.slice(0, -1)), `${place} is ${actual}`)
  } else if (typeof shown === 'object' && shown !== null) {
    assert.deepEqual(Object.keys(actual ?? {}), Object.keys(shown), place)
    for (const [key, value] of Object.entries(shown))
      assertShown((actual as Record<string, unknown>)[key], value, `${place}.${key}`)
  } else assert.equal(actual, shown, place)
}

const WITHOUT_BASH = { skip: process.platform === 'win32' && 'needs bash' }

function shellOf(page: string): { all: Block[]; shell: Block[] } {
  const all = blocks(readFileSync(join(ROOT, page), 'utf8'))
  return { all, shell: all.filter(({ language }) => language === 'sh') }
}

test('the commands in the README do what it says', WITHOUT_BASH, async () => {
  const { shell } = shellOf('README.md')
  const [started = '', connected = '', own = ''] = await run(shell.map(({ text }) => text))
  for (const line of [
    /Footnote runs at http:\/\/127\.0\.0\.1:\d+/,
    /\/mcp$/m,
    /^ {2}claude mcp add .*Bearer fnc_/m,
    /^ {2}codex -c .*Bearer fnc_/m,
    /^ {2}evidence {2}cin_\w+\/\w+:\S+$/m,
    /^ {2}window {4}read_record_field /m,
    /^ {2}citation {2}http:\/\/127\.0\.0\.1:\d+\/r\/cin_/m,
    /sign in once: http.*\/sign-in\?link=/,
  ]) {
    assert.match(started, line)
  }
  assert.match(connected, /claude mcp add/)
  assert.match(connected, /mcp_servers/)
  assert.match(own, /cin_\w+\/\w+:/)
  assert.match(own, /clipping/)
})

// In `npm test` only examples.test.ts and export.test.ts run these commands.
const proving = PROVING ? test : () => {}
proving('backup, export and restore work as their guide says', WITHOUT_BASH, async () => {
  const { shell } = shellOf('docs/how-to/back-up-and-move.md')
  const place = '$FOOTNOTE_DATA_DIR-moved'
  const moved = shell.map(({ text }) => text.replaceAll('./', `${place}/`).replaceAll(BY_NPM, DIRECTLY))
  const same = `cmp <(gunzip -c ${place}/footnote.ndjson.gz) <(gunzip -c ${place}/footnote-again.ndjson.gz) && echo same; ls ${place}; rm -rf ${place}`
  const seed = `mkdir -p ${place}; ${DIRECTLY} import samples/mail-work.mbox >&2`
  const outputs = await run([seed, ...moved, same])
  assert.match(outputs.at(-1) ?? '', /^same$/m)
  assert.match(outputs.at(-1) ?? '', /^footnote-backup$/m)
})

test('the tutorial on records over HTTP does what it says', WITHOUT_BASH, async () => {
  const { all, shell } = shellOf('docs/tutorial/your-own-records.md')
  const outputs = await run(shell.map(({ text }) => text))
  const outputOf = new Map(shell.map((block, i) => [block, outputs[i] ?? '']))

  const answers = all.flatMap((block, i) => {
    const before = all[i - 1]
    return block.language === 'json' && before
      ? [{ shown: block.text, actual: outputOf.get(before) ?? '' }]
      : []
  })
  assert.equal(answers.length, 3)
  for (const { shown, actual } of answers) assertShown(JSON.parse(actual), JSON.parse(shown), 'answer')

  const [hidden, refused, searched, ledger] = (outputs.at(-1) ?? '').split(/(?<=\})(?=\{"(?:error|object)":)/)
  assert.equal(JSON.parse(hidden ?? '').error.code, 'not_found')
  assert.equal(JSON.parse(refused ?? '').error.code, 'field_not_granted')
  assert.deepEqual(JSON.parse(searched ?? '').data, [])
  const shown = JSON.parse(ledger ?? '').data.flatMap((entry: { shown: unknown[] }) => entry.shown)
  const records = shown.flatMap((entry: { record_ids: string[] }) => entry.record_ids)
  assert.deepEqual([...new Set(records)], ['n2'])
  const fields = shown.flatMap((entry: { fields: string[] }) => entry.fields)
  assert.ok(fields.includes('text') && !fields.includes('mood'))
})
