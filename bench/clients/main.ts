import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { HOSTS } from './hosts.ts'
import { travel } from './journey.ts'
import { type Row, writePage } from './page.ts'
import type { Host } from './session.ts'
import { Owner, startWorld, tokenFor } from './world.ts'

const HELP = `npm run clients -- [flags]

Installs clients from npm into a folder, drives each with a script in place of a model, and writes what was seen to
docs/reference/clients.md.

  --only NAME    only the clients whose name contains NAME; prints what was seen and writes nothing
  --folder DIR   install into this folder and keep it, instead of a temporary one
  --installed    use what is in that folder already
`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    folder: { type: 'string' },
    installed: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})

async function install(hosts: readonly Host[], folder: string): Promise<void> {
  if (values.installed) return
  const packages = hosts.flatMap(host => host.packages)
  const args = ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages]
  await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 2 ** 26 })
}

async function drive(host: Host, installed: string, owner: Owner): Promise<Row[]> {
  const [main = ''] = host.packages
  const manifest = await readFile(join(installed, 'node_modules', main, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const rows: Row[] = []
  for (const [transport, way] of host.can) {
    const home = await mkdtemp(join(tmpdir(), 'footnote-home-'))
    process.stderr.write(`${host.name} ${version}: ${transport}, ${way}\n`)
    const row = { host: host.name, version, transport, way }
    try {
      await using world = await startWorld()
      const decide = (url: URL) => owner.decide(world, url)
      const setting = { world, transport, way, ...(await tokenFor(world)), decide, installed, home }
      await using session = await host.open(setting)
      rows.push({ ...row, seen: await travel(session, world, way) })
    } catch (error) {
      rows.push({ ...row, seen: String(error).replaceAll(/\s+/g, ' ').slice(0, 300) })
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  }
  return rows
}

if (values.help) process.stdout.write(HELP)
else {
  const only = values.only?.toLowerCase() ?? ''
  const hosts = HOSTS.filter(({ name }) => name.toLowerCase().includes(only))
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'footnote-clients-')))
  await install(hosts, folder)
  await using owner = await Owner.start()
  const rows: Row[] = []
  for (const host of hosts) rows.push(...(await drive(host, folder, owner)))
  if (values.only === undefined) await writePage(rows, new Date())
  else process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
  if (values.folder === undefined) await rm(folder, { recursive: true, force: true })
}
