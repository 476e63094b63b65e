import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LoopbackServer } from './loopback-server.ts'

const SUITE = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance')

/** The result of the checks of one scenario. */
export interface Outcome {
  succeeded: string[]
  /** Failures and warnings, with the suite's messages. */
  objections: string[]
}

/** The server scenarios of a revision: required ones and additional ones. */
export async function scenariosOf(revision: string): Promise<{ demanded: string[]; beside: string[] }> {
  const text = await readFile(join(SUITE, 'requirements', `${revision}.yaml`), 'utf8')
  const demanded = /^server:\n((?: {2}- .*\n)+)/m.exec(text)?.[1] ?? ''
  const beside = [...text.matchAll(/^ {2}- scenario: (\S+)\n {4}leg: server$/gm)]
  return {
    demanded: [...demanded.matchAll(/- (\S+)/g)].map(([, name = '']) => name),
    beside: beside.map(([, name = '']) => name),
  }
}

/** Runs every scenario for servers of a revision against an address. */
export async function runConformance(url: string, revision: string): Promise<Map<string, Outcome>> {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-conformance-'))
  try {
    const args = [join(SUITE, 'dist/index.js'), 'server', '--url', url, '--requirements', revision]
    const child = spawn(process.execPath, [...args, '--output-dir', directory], { stdio: 'ignore' })
    await once(child, 'exit')
    return await outcomes(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function outcomes(directory: string): Promise<Map<string, Outcome>> {
  const found = new Map<string, Outcome>()
  for (const folder of await readdir(directory)) {
    const name = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1]
    if (name === undefined) throw new Error(`An unknown result: ${folder}`)
    const checks: Check[] = JSON.parse(await readFile(join(directory, folder, 'checks.json'), 'utf8'))
    const objections = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    found.set(name, {
      succeeded: checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id),
      objections: objections.map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`),
    })
  }
  return found
}

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

/**
 * A proxy that adds a token, because the suite sends none. Everything else, including Host and Origin, is passed on
 * unchanged.
 */
export function withToken(url: string, token: string): Promise<LoopbackServer> {
  return LoopbackServer.start((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const forwarded = request(
      new URL(incoming.url ?? '', url),
      { method: incoming.method, headers },
      answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
}
