import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { loadCommands } from '../src/cli/commands.ts'
import { MAIL as MAIL_SOURCE } from '../src/importers/mail/declaration.ts'
import { CHAT, line } from './chat.ts'
import { footnote, placeFlags } from './command-line.ts'
import { TestServer } from './engines.ts'
import { MAILBOX } from './mailbox.ts'
import { freshDatabase } from './postgres.ts'

const ROOT = join(import.meta.dirname, '..')
/**
 * These commands run until they are stopped, or connect to another computer. Other tests run them; here only their
 * arguments are checked.
 */
const ENDLESS = ['serve', 'mcp', 'start', 'import --watch']
const REMOTE = ['sync add', 'sync run', 'sync remove', 'meaning on', 'ocr on']
const MAIL =
  'From ada@example.org Mon May  4 09:12:00 2026\nFrom: ada@example.org\nSubject: Hello\nMessage-ID: <1@example.org>\nDate: Mon, 4 May 2026 09:12:00 +0000\n\nHello.\n'

/**
 * Every line of the help and the documentation that calls a command, without the shell syntax around it. The tutorial has
 * its own test, because its commands build on each other.
 */
async function examples(): Promise<string[]> {
  const pages = execFileSync('git', ['ls-files', 'docs/*.md', 'docs/**/*.md', ':!docs/tutorial'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const texts = await Promise.all(
    pages
      .trim()
      .split('\n')
      .map(page => readFile(join(ROOT, page), 'utf8')),
  )
  const blocks = texts.flatMap(text =>
    [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block),
  )
  const lines = blocks.flatMap(block =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map(line => line.trim()),
  )
  const helped = (await loadCommands()).flatMap(command => command.examples)
  const plain = [...helped, ...lines].map(line =>
    line
      .replace(/^\w+=\$\((.*)\)$/, '$1')
      .replace('npm exec -- ', '')
      .replace(/^(?:[A-Z_]+=\S+ )+/, ''),
  )
  return [...new Set(plain.filter(line => /^footnote /.test(line)))]
}

function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return words.map(word => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single))
}

test('every example of the help and of the documentation runs', async () => {
  await using server = await TestServer.start('sqlite')
  const connection = await server.connect(MAIL_SOURCE, 'Mailbox')
  const story = `${'The garden plan was long. '.repeat(400)}The river was so wide and slow that summer.`
  const mail = (key: string, body: string) => ({
    key,
    data: { id: key, from: 'Ada', sent_at: '2026-01-01T00:00:00Z', body },
  })
  await server.ingest('emails', connection, [mail('m-19', story), mail('m-20', 'Hello.')])
  for (const client_name of ['Claude Code', 'Codex', 'Reading assistant']) await server.grant({ client_name })
  const chat = await server.connect(CHAT, 'Office chat')
  await server.ingest('chat', chat, [line('c-7', 1)])
  await mailNamed(server, 'Personal mail')
  const folder = await mkdtemp(join(tmpdir(), 'footnote-examples-'))
  const place = (word: string) =>
    join(folder, word.startsWith('./') ? `out-${basename(word)}` : basename(word))
  const inPlace = async (word: string): Promise<string> => {
    if (word === '8080') return '0'
    if (word === 'postgres://localhost/footnote') return freshDatabase()
    if (word === 'grt_7h3kq9x2ab') return grantId(server)
    if (word === 'tok_3vJ0mSxQ2bYk9fLw') return (await server.post('/v1/owner/tokens', {})).body.token_id
    if (word === 'imp_0swq7g4k') return (await server.json('/v1/owner/imports')).body.data[0].import_id
    if (word === 'Foldout Slack') await server.connect(MAILBOX, word)
    if (/^(\.|~)?\/|\.(zip|gz|mbox)$/.test(word)) return place(word)
    return word.replace('cin_4f2aqz', connection).replace('cin_7d4kqz', chat)
  }
  const run = async (words: string[], input = ''): Promise<string> => {
    const [, ...given] = words
    if (given[0] === 'apps' && given.includes('Work mail')) await mailNamed(server, 'Work mail')
    const args = await Promise.all(given.map(inPlace))
    const named = args.some(word => word === '--data-dir' || word === '--database-url')
    const flags = named ? [] : placeFlags(server.location)
    for (const path of args.filter(word => /\.(zip|mbox)$/.test(word))) await writeFile(path, MAIL)
    if (given[0] === 'restore') await rm(place('./data'), { recursive: true, force: true })
    const around = given[1] === 'remove' ? { isTerminal: true, input: 'yes\n' } : { input }
    const { code, stdout, stderr } = await footnote([...args, ...flags], { env: { HOME: folder }, ...around })
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
    return stdout
  }
  await mkdir(join(folder, 'Documents'))
  const maildir = join(folder, 'Maildir')
  for (const part of ['cur', 'new', 'tmp']) await mkdir(join(maildir, part), { recursive: true })
  await writeFile(join(maildir, 'cur', '1:2,S'), MAIL.slice(MAIL.indexOf('\n') + 1))
  try {
    const lines = await examples()
    assert.ok(lines.length > 40, `only ${lines.length} examples were found`)
    for (const example of lines) {
      if ([...ENDLESS, ...REMOTE].some(begin => example.startsWith(`footnote ${begin}`))) {
        const { stdout } = await footnote([...wordsOf(example).slice(1), '--help'])
        assert.match(stdout, /^Usage: footnote/m, example)
        continue
      }
      let input = ''
      for (const part of example.split(' | ')) input = await run(wordsOf(part), input)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** A mail source with this name, as an import creates it. */
async function mailNamed(server: TestServer, name: string): Promise<void> {
  const { data } = (await server.json('/v1/owner/connections')).body
  if (data.some((each: { display_name: string }) => each.display_name === name)) return
  await server.connect(MAIL_SOURCE, name)
}

async function grantId(server: TestServer): Promise<string> {
  const { grant_ids } = await server.grants({ client_name: 'Example' })
  return grant_ids[0] ?? assert.fail()
}
