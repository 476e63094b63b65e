import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Folders } from '../clients/folders.ts'
import { TimeZone } from '../model/time-zone.ts'
import { TrustedProxies } from '../origin/caller.ts'
import type { OriginOptions } from '../origin/environment.ts'
import { readSettingsFile } from './settings-file.ts'
import { UsageError } from './terminal/exit-errors.ts'

const PACKAGE_FILE = join(import.meta.dirname, '..', '..', 'package.json')

export interface Setting {
  name: string
  flag: string
  env: string
  /** Common settings are taken by every command, the others by `serve`. */
  common: boolean
  /** Taken by commands that show addresses of the server. */
  links?: true
  summary: string
}

/** Every setting there is: a flag, else the environment, else the file, else the default. */
export const SETTINGS = [
  {
    name: 'config',
    flag: '--config',
    env: 'FOOTNOTE_CONFIG',
    common: true,
    summary: 'a file of settings (footnote.json in the data folder)',
  },
  {
    name: 'data-dir',
    flag: '--data-dir',
    env: 'FOOTNOTE_DATA_DIR',
    common: true,
    summary: 'where the data is kept (~/.footnote)',
  },
  {
    name: 'database-url',
    flag: '--database-url',
    env: 'FOOTNOTE_DATABASE_URL',
    common: true,
    summary: 'postgres://… to keep it in PostgreSQL',
  },
  {
    name: 'host',
    flag: '--host',
    env: 'FOOTNOTE_HOST',
    common: false,
    summary: 'the address to listen on (127.0.0.1)',
  },
  {
    name: 'port',
    flag: '--port',
    env: 'FOOTNOTE_PORT',
    common: false,
    links: true,
    summary: 'the port to listen on (7007; 0 picks a free one)',
  },
  {
    name: 'public-url',
    flag: '--public-url',
    env: 'FOOTNOTE_PUBLIC_URL',
    common: false,
    links: true,
    summary: 'the origin that clients use (http://127.0.0.1:PORT)',
  },
  {
    name: 'rate-limit',
    flag: '--rate-limit',
    env: 'FOOTNOTE_RATE_LIMIT',
    common: false,
    summary: 'requests a second for each client (100; 0 is off)',
  },
  {
    name: 'rate-burst',
    flag: '--rate-burst',
    env: 'FOOTNOTE_RATE_BURST',
    common: false,
    summary: 'requests that may come at once (500)',
  },
  {
    name: 'address-limit',
    flag: '--address-limit',
    env: 'FOOTNOTE_ADDRESS_LIMIT',
    common: false,
    summary: 'requests a second without a token for each address (20; 0 is off)',
  },
  {
    name: 'trusted-proxies',
    flag: '--trusted-proxies',
    env: 'FOOTNOTE_TRUSTED_PROXIES',
    common: false,
    summary: 'addresses of proxies whose X-Forwarded-For is believed, with commas (none)',
  },
  {
    name: 'cursor-ttl',
    flag: '--cursor-ttl',
    env: 'FOOTNOTE_CURSOR_TTL',
    common: false,
    summary: 'seconds that a cursor stays valid (86400)',
  },
  {
    name: 'client-documents',
    flag: '--client-documents',
    env: 'FOOTNOTE_CLIENT_DOCUMENTS',
    common: false,
    summary: 'on or off: apps may be named by a document at their address, which is fetched (on)',
  },
  {
    name: 'time-zone',
    flag: '--time-zone',
    env: 'FOOTNOTE_TIME_ZONE',
    common: false,
    summary: 'where your days begin, such as Europe/Berlin (the system zone at the first start)',
  },
  {
    name: 'ledger-queries',
    flag: '--ledger-queries',
    env: 'FOOTNOTE_LEDGER_QUERIES',
    common: false,
    summary: 'on or off: the ledger shows the owner what clients asked, which it always notes (off)',
  },
] as const satisfies readonly Setting[]

/** Variables that `footnote mcp` reads besides; the flags `--provider-url` and `--cache-root` go before them. */
export const MCP_VARIABLES = [
  { env: 'PDPP_PROVIDER_URL', summary: 'the resource server that the tools read from' },
  { env: 'PDPP_ACCESS_TOKEN', summary: 'a scoped client token' },
  { env: 'PDPP_CACHE_ROOT', summary: 'the folder of cached credentials (~/.pdpp)' },
  { env: 'PDPP_OWNER_TOKEN', summary: 'refused: assistants read with a scoped token' },
  { env: 'PDPP_OWNER_SESSION_COOKIE', summary: 'refused likewise' },
] as const

/** Variables by which terminals and npm tell of themselves. */
export const SURROUNDING_VARIABLES = [
  { env: 'NO_COLOR', summary: 'when not empty, no colours' },
  { env: 'TERM', summary: 'dumb: no colours' },
  { env: 'npm_lifecycle_event', summary: 'set by npm, with which the server then ends' },
  { env: 'npm_lifecycle_script', summary: 'set by npm: the line that it runs' },
  { env: 'npm_package_json', summary: 'set by npm: the package whose script it runs' },
  { env: 'npm_config_local_prefix', summary: 'set by npm: the folder that it works for' },
  { env: 'INIT_CWD', summary: 'set by npm: the folder that it was called in' },
  { env: 'PATH', summary: 'whether footnote can be called by its name' },
] as const

/** Variables by which assistants say where their own configuration is; `footnote connect` heeds them. */
export const CLIENT_VARIABLES = [
  { env: 'CLAUDE_CONFIG_DIR', summary: 'folder of .claude.json (the home folder)' },
  { env: 'CODEX_HOME', summary: 'folder of config.toml (~/.codex)' },
  { env: 'XDG_CONFIG_HOME', summary: 'folder of configurations (~/.config)' },
  { env: 'APPDATA', summary: 'folder of configurations on Windows' },
] as const

/** What started this process. */
export interface Starter {
  startedByNpm: boolean
  /** The line that npm runs, where that is a script or a command of this package. */
  ownScript: string | null
}

/** Where the person is who started this process. */
export interface Surroundings {
  /** The folder that npm works for; null when npm did not start this process. */
  npmPrefix: string | null
  /** The folder of the person's shell. */
  folder: string
  /** The PATH of this process. */
  path: string
}

export interface Config {
  location: OriginOptions['location']
  host: string
  port: number
  publicUrl: string | null
  rateLimit: { perSecond: number; burst: number } | null
  addressLimit: number | null
  trustedProxies: readonly string[]
  cursorTtlSeconds: number
  clientDocuments: boolean
  showQueries: boolean
  /** The owner's time zone, where it is set. */
  timeZone: string | undefined
  /** Whether colours are welcome on a terminal. */
  colours: boolean
  starter: Starter
  folders: Folders
  mcp: McpConfig
}

/** What `footnote mcp` takes from the environment, in the protocol's own names. */
export interface McpConfig {
  providerUrl: string | undefined
  accessToken: string | undefined
  cacheRoot: string | undefined
  ownerToken: string | undefined
  ownerSessionCookie: string | undefined
}

type Flags = Readonly<Record<string, unknown>>

/** The one reader of the environment. */
export function readConfig(flags: Flags, env: NodeJS.ProcessEnv = process.env): Config {
  const given = (name: string): string | undefined => {
    const setting = SETTINGS.find(candidate => candidate.name === name)
    const found = flags[name] ?? (setting && env[setting.env])
    return typeof found === 'string' && found !== '' ? found : undefined
  }
  const home = join(homeOf(env), '.footnote')
  const file = settingsFile(given('config'), given('data-dir') ?? home)
  const value = (name: string) => given(name) ?? (file[name] === '' ? undefined : file[name])
  const host = value('host') ?? '127.0.0.1'
  const perSecond = wholeNumber('rate-limit', value('rate-limit'), 100, 1_000_000)
  const burst = wholeNumber('rate-burst', value('rate-burst'), 500, 1_000_000)
  return {
    location: locationOf(value('data-dir') ?? home, value('database-url')),
    host,
    port: wholeNumber('port', value('port'), 7007, 65_535),
    publicUrl: originOf(value('public-url')),
    rateLimit: perSecond === 0 ? null : { perSecond, burst: Math.max(1, burst) },
    addressLimit: wholeNumber('address-limit', value('address-limit'), 20, 1_000_000) || null,
    trustedProxies: proxiesOf(value('trusted-proxies')),
    cursorTtlSeconds: wholeNumber('cursor-ttl', value('cursor-ttl'), 86_400, 31_536_000),
    clientDocuments: onOrOff('client-documents', value('client-documents'), true),
    showQueries: onOrOff('ledger-queries', value('ledger-queries'), false),
    timeZone: zoneOf(value('time-zone')),
    colours: !env.NO_COLOR && env.TERM !== 'dumb',
    starter: starterOf(env),
    folders: foldersOf(env),
    mcp: mcpConfig(env),
  }
}

/** The settings of the file that was named, else of the one in the data folder, which cannot name another folder. */
function settingsFile(named: string | undefined, dataDir: string): Record<string, string> {
  const known: string[] = SETTINGS.map(({ name }) => name).filter(name => name !== 'config')
  if (named !== undefined) return readSettingsFile(named, known, true)
  const here = known.filter(name => name !== 'data-dir')
  return readSettingsFile(join(dataDir, 'footnote.json'), here, false)
}

export function readSurroundings(env: NodeJS.ProcessEnv = process.env): Surroundings {
  return {
    npmPrefix: env.npm_config_local_prefix || null,
    folder: env.INIT_CWD || process.cwd(),
    path: env.PATH ?? '',
  }
}

function starterOf(env: NodeJS.ProcessEnv): Starter {
  const script = env.npm_lifecycle_script ?? ''
  const ours = env.npm_package_json === PACKAGE_FILE && script.includes('footnote')
  return { startedByNpm: env.npm_lifecycle_event !== undefined, ownScript: ours ? script : null }
}

function foldersOf(env: NodeJS.ProcessEnv): Folders {
  const home = homeOf(env)
  const config = env.XDG_CONFIG_HOME || join(home, '.config')
  const desktop = {
    win32: env.APPDATA || join(home, 'AppData', 'Roaming'),
    darwin: join(home, 'Library', 'Application Support'),
    other: config,
  }
  const platform = process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'other'
  return {
    home,
    config,
    desktop: desktop[platform],
    claude: env.CLAUDE_CONFIG_DIR || undefined,
    codex: env.CODEX_HOME || undefined,
  }
}

function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || homedir()
}

function mcpConfig(env: NodeJS.ProcessEnv): McpConfig {
  const given = (name: (typeof MCP_VARIABLES)[number]['env']) => env[name] || undefined
  return {
    providerUrl: given('PDPP_PROVIDER_URL'),
    accessToken: given('PDPP_ACCESS_TOKEN'),
    cacheRoot: given('PDPP_CACHE_ROOT'),
    ownerToken: given('PDPP_OWNER_TOKEN'),
    ownerSessionCookie: given('PDPP_OWNER_SESSION_COOKIE'),
  }
}

function locationOf(dataDir: string, databaseUrl: string | undefined): Config['location'] {
  const directory = resolve(dataDir)
  if (databaseUrl === undefined) return { engine: 'sqlite', directory }
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) return { engine: 'postgres', url: databaseUrl, directory }
  throw new UsageError('--database-url is a postgres:// address.', 'leave it out to use SQLite in --data-dir')
}

function originOf(url: string | undefined): string | null {
  if (url === undefined) return null
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && !parsed.search)
    return parsed.origin
  throw new UsageError(
    '--public-url is an origin without a path.',
    '--public-url https://footnote.example.org',
  )
}

function proxiesOf(text: string | undefined): string[] {
  const proxies = (text ?? '').split(',').flatMap(part => part.trim() || [])
  try {
    new TrustedProxies(proxies)
    return proxies
  } catch {
    const message = '--trusted-proxies is a list of addresses or networks, separated by commas.'
    throw new UsageError(message, '--trusted-proxies 127.0.0.1,10.0.0.0/8')
  }
}

function zoneOf(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : new TimeZone(name).name
  } catch {
    throw new UsageError('--time-zone is an IANA name.', '--time-zone Europe/Berlin')
  }
}

function wholeNumber(name: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback
  if (/^\d{1,9}$/.test(text) && Number(text) <= max) return Number(text)
  throw new UsageError(`--${name} is a whole number from 0 to ${max}.`, `--${name} ${fallback}`)
}

function onOrOff(name: string, text: string | undefined, fallback: boolean): boolean {
  if (text === undefined) return fallback
  if (text === 'on' || text === 'off') return text === 'on'
  throw new UsageError(`--${name} is on or off.`, `--${name} off`)
}
