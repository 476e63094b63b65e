import { execFile } from 'node:child_process'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { HOSTS } from './hosts.ts'
import { travel } from './journey.ts'
import { type Row, writePage } from './page.ts'
import { temporaryFolder } from './program.ts'
import { type Host, recorded } from './session.ts'
import { Owner, startWorld, tokenFor } from './world.ts'

const HELP = `npm run clients -- [flags]

Installs clients from npm into a folder, drives each with a script in place of a model, prints what was seen, and writes it
to docs/reference/clients.md.

  --only NAME    only the clients whose name contains NAME; writes no page
  --folder DIR   install into this folder and keep it, with what was seen and every call with the answer as the model
                 was given it, instead of a temporary one
  --page         drive nothing, and write the page from what that folder keeps
  --installed    use what is in that folder already
`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    folder: { type: 'string' },
    installed: { type: 'boolean' },
    page: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})

/** npm does not install a package into a folder with the same name. */
function placeOf({ packages: [main = ''] }: Host, folder: string): string {
  return join(folder, `install-${slug(main)}`)
}

function seenOf({ name }: Host, folder: string): string {
  return join(folder, `seen-${slug(name)}.json`)
}

function callsOf({ name }: Host, folder: string): string {
  return join(folder, `calls-${slug(name)}.txt`)
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Each client has its own folder; npm installs the newest version that runs on this Node. */
async function install({ packages }: Host, folder: string): Promise<void> {
  if (values.installed) return
  await mkdir(folder, { recursive: true })
  const args = ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages]
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  await promisify(execFile)('npm', args, { cwd: folder, env, maxBuffer: 2 ** 26 })
}

async function drive(host: Host, folder: string, owner: Owner): Promise<void> {
  const [main = ''] = host.packages
  const installed = placeOf(host, folder)
  await install(host, installed)
  const manifest = await readFile(join(installed, 'node_modules', main, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const date = new Date().toISOString().slice(0, 10)
  const rows: Row[] = []
  await writeFile(callsOf(host, folder), '')
  for (const [transport, way] of host.can) {
    await using home = await temporaryFolder('footnote-home-')
    process.stderr.write(`${host.name} ${version}: ${transport}, ${way}\n`)
    const note = (lines: string) => appendFile(callsOf(host, folder), `${transport}, ${way}: ${lines}\n\n`)
    const row = { host: host.name, version, transport, way, date }
    try {
      await using world = await startWorld()
      const decide = (url: URL) => owner.decide(world, url)
      const setting = {
        world,
        transport,
        way,
        ...(await tokenFor(world)),
        decide,
        installed,
        home: home.path,
      }
      await using session = await host.open(setting)
      rows.push({ ...row, seen: await travel(recorded(session, note), world, way) })
    } catch (error) {
      rows.push({ ...row, seen: String(error).replaceAll(/\s+/g, ' ').slice(0, 300) })
    } finally {
      process.stderr.write(`${JSON.stringify(rows.at(-1)?.seen)}\n`)
    }
  }
  await writeFile(seenOf(host, folder), JSON.stringify(rows))
}

/** The stored results of each client in a folder, and the names of those without any. */
async function seenIn(folder: string): Promise<{ rows: Row[]; missing: string[] }> {
  const rows: Row[] = []
  const missing: string[] = []
  for (const host of HOSTS) {
    const kept = await readFile(seenOf(host, folder), 'utf8').catch(() => null)
    if (kept === null) missing.push(host.name)
    else rows.push(...(JSON.parse(kept) as Row[]))
  }
  return { rows, missing }
}

if (values.help) process.stdout.write(HELP)
else {
  const only = values.only?.toLowerCase() ?? ''
  const hosts = HOSTS.filter(({ name }) => name.toLowerCase().includes(only))
  await using scratch = await temporaryFolder('footnote-clients-')
  // Temporary files of the servers and the browser are removed with it.
  process.env.TMPDIR = scratch.path
  const folder = values.folder ?? scratch.path
  if (!values.page) {
    await using owner = await Owner.start()
    for (const host of hosts) await drive(host, folder, owner)
  }
  if (values.only === undefined) await writePage(await seenIn(folder))
}
