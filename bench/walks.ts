import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startServer } from '../src/origin/server.ts'
import { Coverage, filesIn } from './coverage.ts'

/** How many files a newcomer has to follow: those in src in which a function runs during one action. */
interface Walk {
  name: string
  most: number
  files: string[]
  /** Folders of which no file may run. */
  without: string[]
}

const ROOT = new URL('../', import.meta.url)
const ELSEWHERE = ['authorization-server/', 'pages/', 'console/', 'mcp/']
const MESSAGES = 20
const QUIET_MS = 500

const folder = await mkdtemp(join(tmpdir(), 'footnote-walks-'))
try {
  const imported = await importWalk()
  const walks = [...(await requestWalks()), imported]
  let failed = false
  for (const { name, most, files, without } of walks) {
    const strangers = files.filter(file => without.some(each => file.startsWith(each)))
    const bad = files.length > most || strangers.length > 0
    failed ||= bad
    console.log(
      `${name.padEnd(28)} ${String(files.length).padStart(4)} files, at most ${most}  ${bad ? 'FAIL' : 'ok'}`,
    )
    for (const file of strangers) console.log(`  runs ${file}, which has no part in it`)
    const rooms = Map.groupBy(files, file => file.slice(0, file.indexOf('/')))
    console.log(`  ${[...rooms].map(([room, each]) => `${room} ${each.length}`).join(', ')}`)
    if (process.argv.includes('--files')) console.log(files.map(file => `  ${file}`).join('\n'))
  }
  process.exitCode = failed ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** A command in its own process, with the coverage of all its threads. Loading counts if it calls functions. */
async function importWalk(): Promise<Walk> {
  const [mailbox, coverage] = [join(folder, 'x.mbox'), join(folder, 'coverage')]
  await mkdir(coverage)
  await writeFile(mailbox, Array.from({ length: MESSAGES }, (_, n) => mail(n)).join('\n'))
  execFileSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'src/cli/main.ts', 'import', mailbox, '--data-dir', folder],
    { cwd: ROOT, env: { ...process.env, NODE_V8_COVERAGE: coverage }, stdio: ['ignore', 'ignore', 'ignore'] },
  )
  const files = new Set<string>()
  for (const name of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, name), 'utf8'))
    for (const file of filesIn(result)) files.add(file)
  }
  return { name: 'import x.mbox', most: 75, files: [...files].sort(), without: [...ELSEWHERE] }
}

function mail(n: number): string {
  return `From ada@example.org Thu Jan  1 00:00:00 2026
From: Ada <ada@example.org>
To: bob@example.org
Subject: Garden ${n}
Date: Thu, 1 Jan 2026 00:00:${String(n).padStart(2, '0')} +0000
Message-ID: <${n}@example.org>

The garden plan number ${n} is here.
`
}

/** Requests to a server that has served such a request before. */
async function requestWalks(): Promise<Walk[]> {
  await using coverage = await Coverage.start()
  const options = {
    location: { engine: 'sqlite', directory: folder },
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    rateLimit: null,
    cursorTtlSeconds: 3_600,
    clientDocuments: false,
  } as const
  await using server = await startServer(options, { report: error => console.error(error) })
  const ask = async (path: string, token: string, body?: object): Promise<string> => {
    const response = await fetch(server.publicUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
        'MCP-Protocol-Version': '2025-11-25',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok && !text.includes('"isError":true'), text)
    return text
  }
  const { access_token } = JSON.parse(
    await ask('/v1/owner/grants', server.ownerKey, { client_name: 'Walker' }),
  )
  const walk = async (name: string, most: number, path: string, body?: object): Promise<Walk> => {
    for (let n = 0; n < 3; n++) await ask(path, access_token, body)
    // What is left of the server's startup in the background is not part of the request.
    await setTimeout(QUIET_MS)
    const files = await coverage.during(() => ask(path, access_token, body))
    return { name, most, files, without: body ? ELSEWHERE.slice(0, -1) : ELSEWHERE }
  }
  const { data } = JSON.parse(await ask('/v1/streams/emails/records?limit=1', access_token))
  const record = `/v1/streams/emails/records/${encodeURIComponent(data[0].id)}`
  const call = { name: 'search', arguments: { query: 'garden plan' } }
  return [
    await walk('a field window over /v1', 22, `${record}/field-window?field=body&limit_chars=10`),
    await walk('a search over /mcp', 45, '/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: call,
    }),
  ]
}
