import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Folders } from '../clients/folders.ts'
import { TimeZone } from '../model/time-zone.ts'
import { publicOrigin } from '../origin/address.ts'
import { TrustedProxies } from '../origin/caller.ts'
import type { OriginOptions } from '../origin/environment.ts'
import { LOG_FORMS, type LogForm } from './log.ts'
import { type MCP_VARIABLES, SETTINGS } from './settings.ts'
import { readSettingsFile } from './settings-file.ts'
import { UsageError } from './terminal/exit-errors.ts'

const PACKAGE_FILE = join(import.meta.dirname, '..', '..', 'package.json')

/** What started this process. */
export interface Starter {
  startedByNpm: boolean
  /** The command line that npm runs, if it is a script or a command of this package. */
  ownScript: string | null
}

/** The environment of the person who started this process. */
export interface Surroundings {
  /** The folder that npm works for; null if npm did not start this process. */
  npmPrefix: string | null
  /** The working directory of the person's shell. */
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
  metricsToken: string | null
  log: LogForm
  cursorTtlSeconds: number
  clientDocuments: boolean
  /** Origins whose pages may call MCP. */
  allowedOrigins: readonly string[]
  showQueries: boolean
  alwaysLoad: boolean
  /** The owner's time zone, if set. */
  timeZone: string | undefined
  /** The file that stores settings, and what overrides a setting in it: a flag or a variable. */
  settings: { file: string; fixed: Readonly<Record<string, string>> }
  /** Whether to use colours on a terminal. */
  colours: boolean
  starter: Starter
  folders: Folders
  mcp: McpConfig
  /** The password of an account that is being added. */
  syncPassword: string | undefined
}

/** What `footnote mcp` reads from the environment, under the protocol's own names. */
export interface McpConfig {
  providerUrl: string | undefined
  accessToken: string | undefined
  cacheRoot: string | undefined
  ownerToken: string | undefined
  ownerSessionCookie: string | undefined
}

type Flags = Readonly<Record<string, unknown>>

/** The only reader of the environment. */
export function readConfig(flags: Flags, env: NodeJS.ProcessEnv = process.env): Config {
  const given = (name: string): string | undefined => {
    const setting = SETTINGS.find(candidate => candidate.name === name)
    const found = flags[name] ?? (setting && env[setting.env])
    return typeof found === 'string' && found !== '' ? found : undefined
  }
  const fixed = SETTINGS.filter(({ name }) => given(name) !== undefined).map(({ name, flag, env }) => [
    name,
    flags[name] === undefined ? env : flag,
  ])
  const home = join(homeOf(env), '.footnote')
  const path = given('config') ?? join(given('data-dir') ?? home, 'footnote.json')
  const file = settingsFile(path, given('config') !== undefined)
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
    metricsToken: metricsTokenOf(value('metrics-token')),
    log: logFormOf(value('log')),
    cursorTtlSeconds: wholeNumber('cursor-ttl', value('cursor-ttl'), 86_400, 31_536_000),
    clientDocuments: onOrOff('client-documents', value('client-documents'), true),
    allowedOrigins: pageOriginsOf(value('allowed-origins')),
    showQueries: onOrOff('ledger-queries', value('ledger-queries'), false),
    alwaysLoad: onOrOff('always-load', value('always-load'), true),
    timeZone: zoneOf(value('time-zone')),
    settings: { file: resolve(path), fixed: Object.fromEntries(fixed) },
    colours: !env.NO_COLOR && env.TERM !== 'dumb',
    starter: starterOf(env),
    folders: foldersOf(env),
    mcp: mcpConfig(env),
    syncPassword: env.FOOTNOTE_SYNC_PASSWORD || undefined,
  }
}

/** The settings in the file that was named, or else in the one in the data folder, which cannot name another folder. */
function settingsFile(path: string, isNamed: boolean): Record<string, string> {
  const known: string[] = SETTINGS.map(({ name }) => name).filter(
    name => name !== 'config' && (isNamed || name !== 'data-dir'),
  )
  return readSettingsFile(path, known, isNamed)
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
  throw new UsageError(
    '--database-url must be a postgres:// address.',
    'leave it out to use SQLite in --data-dir',
  )
}

function originOf(url: string | undefined): string | null {
  if (url === undefined) return null
  const origin = publicOrigin(url)
  if (origin !== null) return origin
  throw new UsageError(
    '--public-url must be an origin without a path.',
    '--public-url https://footnote.example.org',
  )
}

function proxiesOf(text: string | undefined): string[] {
  const proxies = (text ?? '').split(',').flatMap(part => part.trim() || [])
  try {
    new TrustedProxies(proxies)
    return proxies
  } catch {
    const message = '--trusted-proxies must be a comma-separated list of addresses or networks.'
    throw new UsageError(message, '--trusted-proxies 127.0.0.1,10.0.0.0/8')
  }
}

function metricsTokenOf(token: string | undefined): string | null {
  if (token === undefined) return null
  if (/^[\x21-\x7e]{16,200}$/.test(token)) return token
  throw new UsageError(
    '--metrics-token must be 16 to 200 ASCII characters without spaces.',
    'openssl rand -hex 32 makes a good one',
  )
}

function pageOriginsOf(text: string | undefined): string[] {
  const origins = (text ?? '').split(',').flatMap(part => part.trim() || [])
  if (origins.every(origin => URL.canParse(origin) && new URL(origin).origin === origin)) return origins
  throw new UsageError(
    '--allowed-origins must be a comma-separated list of origins, each exactly as a browser sends it.',
    '--allowed-origins https://chat.example.org,http://localhost:6274',
  )
}

function logFormOf(text: string | undefined): LogForm {
  const form = LOG_FORMS.find(each => each === (text ?? 'text'))
  if (form) return form
  throw new UsageError('--log must be text or json.', '--log json')
}

function zoneOf(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : new TimeZone(name).name
  } catch {
    throw new UsageError('--time-zone must be an IANA name.', '--time-zone Europe/Berlin')
  }
}

function wholeNumber(name: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback
  if (/^\d{1,9}$/.test(text) && Number(text) <= max) return Number(text)
  throw new UsageError(`--${name} must be a whole number from 0 to ${max}.`, `--${name} ${fallback}`)
}

function onOrOff(name: string, text: string | undefined, fallback: boolean): boolean {
  if (text === undefined) return fallback
  if (text === 'on' || text === 'off') return text === 'on'
  throw new UsageError(`--${name} must be on or off.`, `--${name} off`)
}
