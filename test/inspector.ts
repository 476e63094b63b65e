import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'

const PINNED = join(import.meta.dirname, 'inspector')
const PROGRAM = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'

let folder: Promise<string> | null = null

after(async () => {
  if (folder) await rm(await folder, { recursive: true, force: true })
})

/** The MCP Inspector, installed once from its lock file into a temporary folder. */
export async function inspector(): Promise<string> {
  folder ??= install()
  return join(await folder, PROGRAM)
}

async function install(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'footnote-inspector-'))
  await cp(PINNED, place, { recursive: true })
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', place]
  await promisify(execFile)('npm', args, { cwd: place })
  return place
}
