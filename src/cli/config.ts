import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Folders } from '../clients/folders.ts'
import { isObject, jsonOrNull } from '../model/json.ts'
import type { ServerOptions } from '../origin/server.ts'
import { readSettings, SETTINGS, type SettingValues } from './settings.ts'
import { nearestTo } from './terminal/edit-distance.ts'
import { UsageError } from './terminal/exit-errors.ts'

const PACKAGE_FILE = join(import.meta.dirname, '..', '..', 'package.json')

/** What started this process. */
export interface Starter {
  startedByNpm: boolean
  /** Whether npm runs a script or a command of this package, so that no program of someone else is between. */
  runsOwnScript: boolean
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

/** The settings that are used as they are. */
type PlainSettings = Omit<SettingValues, 'config' | 'dataDir' | 'databaseUrl' | 'rateLimit' | 'rateBurst'>

export interface Config extends PlainSettings {
  location: ServerOptions['location']
  /** The data folder if commands have to name it, because it is not the default one. */
  namedFolder: string | null
  rateLimit: ServerOptions['rateLimit']
  /** The file that stores settings, and what overrides a setting in it: a flag or a variable. */
  settings: { file: string; fixed: Readonly<Record<string, string>> }
  /** Variables that resemble one of a setting and are none, each with that one. */
  mistyped: [variable: string, meant: string][]
  /** Whether to use colours on a terminal. */
  colours: boolean
  starter: Starter
  folders: Folders
  mcp: McpConfig
  /** The password of an account that is being added. */
  syncPassword: string | undefined
}

/** What `footnote mcp` reads from the environment, under the protocol's own names. */
interface McpConfig {
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
  const {
    config: _,
    dataDir = home,
    databaseUrl: url,
    rateLimit,
    rateBurst,
    ...plain
  } = readSettings(name => given(name) ?? (file[name] === '' ? undefined : file[name]))
  const directory = resolve(dataDir)
  return {
    ...plain,
    location: url === undefined ? { engine: 'sqlite', directory } : { engine: 'postgres', url, directory },
    namedFolder: directory === resolve(home) ? null : directory,
    rateLimit: rateLimit === null ? null : { perSecond: rateLimit, burst: Math.max(1, rateBurst) },
    settings: { file: resolve(path), fixed: Object.fromEntries(fixed) },
    mistyped: mistypedIn(env),
    colours: !env.NO_COLOR && env.TERM !== 'dumb',
    starter: starterOf(env),
    folders: foldersOf(env),
    mcp: mcpConfig(env),
    syncPassword: env.FOOTNOTE_SYNC_PASSWORD || undefined,
  }
}

/** A setting that is not read would otherwise be noticed late: the data would be in another folder. */
function mistypedIn(env: NodeJS.ProcessEnv): [string, string][] {
  const known = SETTINGS.map(setting => setting.env)
  const unknown = Object.keys(env).filter(
    name => name.startsWith('FOOTNOTE_') && !known.includes(name) && name !== 'FOOTNOTE_SYNC_PASSWORD',
  )
  return unknown.flatMap((name): [string, string][] => {
    const [meant] = [...nearestTo(name, known), ...known.filter(each => each.startsWith(`${name}_`))]
    return meant === undefined ? [] : [[name, meant]]
  })
}

/** The settings in the file that was named, or else in the one in the data folder, which cannot name another folder. */
function settingsFile(path: string, isNamed: boolean): Record<string, string> {
  const known: string[] = SETTINGS.map(({ name }) => name).filter(
    name => name !== 'config' && (isNamed || name !== 'data-dir'),
  )
  return readSettingsFile(path, known, isNamed)
}

export function readSurroundings(): Surroundings {
  const { env } = process
  return {
    npmPrefix: env.npm_config_local_prefix || null,
    folder: env.INIT_CWD || process.cwd(),
    path: env.PATH ?? '',
  }
}

function starterOf(env: NodeJS.ProcessEnv): Starter {
  const event = env.npm_lifecycle_event
  const isOurs = env.npm_package_json === PACKAGE_FILE || event === 'npx'
  const runsOwnScript = isOurs && (env.npm_lifecycle_script ?? '').includes('footnote')
  return { startedByNpm: event !== undefined, runsOwnScript }
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
    copilot: env.COPILOT_HOME || undefined,
  }
}

function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || homedir()
}

function mcpConfig(env: NodeJS.ProcessEnv): McpConfig {
  return {
    providerUrl: env.PDPP_PROVIDER_URL || undefined,
    accessToken: env.PDPP_ACCESS_TOKEN || undefined,
    cacheRoot: env.PDPP_CACHE_ROOT || undefined,
    ownerToken: env.PDPP_OWNER_TOKEN || undefined,
    ownerSessionCookie: env.PDPP_OWNER_SESSION_COOKIE || undefined,
  }
}

/** The settings in a file, by name, as texts. */
function readSettingsFile(path: string, known: readonly string[], required: boolean): Record<string, string> {
  const settings = Object.entries(settingsIn(path, known, required))
  return Object.fromEntries(settings.map(([name, value]) => [name, String(value)]))
}

/** The settings as they are in the file; an optional file may be missing. */
export function settingsIn(
  path: string,
  known: readonly string[],
  required: boolean,
): Record<string, string | number> {
  const text = textOf(path, required)
  if (text === null) return {}
  const settings = jsonOrNull(text)
  if (!isObject(settings))
    throw new UsageError(`${path} is not a JSON object.`, 'write it like {"port": 8080}')
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (!known.includes(name))
        throw new UsageError(`${path} has an unknown setting, "${name}".`, `one of ${known.join(', ')}`)
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new UsageError(`${path}: ${name} is neither a text nor a number.`, `"${name}": "…"`)
      return [name, value]
    }),
  )
}

function textOf(path: string, required: boolean): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!required && (code === 'ENOENT' || code === 'ENOTDIR')) return null
    const hint = required ? 'check --config' : 'check who may read it, or name another folder with --data-dir'
    throw new UsageError(`${path} cannot be read (${code}).`, hint)
  }
}
