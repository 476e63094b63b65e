import type { Command } from './command.ts'
import { editDistance } from './terminal/edit-distance.ts'

const MOST_TYPOS = 2

const apps = () => import('./apps/apps.ts')
const connections = () => import('./sources/connections.ts')
const imports = () => import('./sources/imports.ts')
const syncs = () => import('./sync/syncs.ts')
const samples = () => import('./sources/samples.ts')
const watch = () => import('./sources/watch.ts')
const ownerTokens = () => import('./commands/owner-token.ts')
const meaning = () => import('./commands/meaning.ts')
const grants = () => import('./commands/grants.ts')

/** Every command there is. Each is loaded when it is called: an assistant that starts `mcp` waits for nothing else. */
const LOADERS: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./commands/start.ts')).start,
  serve: async () => (await import('./commands/serve.ts')).serve,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  import: async () => (await import('./import/import.ts')).importCommand,
  'sign-in-link': async () => (await import('./commands/sign-in-link.ts')).signInLink,
  'owner-token': async () => (await ownerTokens()).ownerToken,
  'owner-token list': async () => (await ownerTokens()).ownerTokenList,
  'owner-token revoke': async () => (await ownerTokens()).ownerTokenRevoke,
  'grant create': async () => (await grants()).grantCreate,
  'grant list': async () => (await grants()).grantList,
  'grant show': async () => (await grants()).grantShow,
  'grant revoke': async () => (await grants()).grantRevoke,
  apps: async () => (await apps()).apps,
  'apps allow': async () => (await apps()).appsAllow,
  connections: async () => (await connections()).connections,
  'connections rename': async () => (await connections()).connectionsRename,
  'connections remove': async () => (await connections()).connectionsRemove,
  'imports list': async () => (await imports()).importsList,
  'imports remove': async () => (await imports()).importsRemove,
  'watch add': async () => (await watch()).watchAdd,
  'watch list': async () => (await watch()).watchList,
  'watch remove': async () => (await watch()).watchRemove,
  'sync add': async () => (await import('./sync/sync-add.ts')).syncAdd,
  'sync run': async () => (await syncs()).syncRun,
  'sync list': async () => (await syncs()).syncList,
  'sync remove': async () => (await syncs()).syncRemove,
  'samples import': async () => (await samples()).samplesImport,
  'samples remove': async () => (await samples()).samplesRemove,
  connect: async () => (await import('./connect/connect.ts')).connect,
  search: async () => (await import('./commands/search.ts')).search,
  read: async () => (await import('./commands/read.ts')).read,
  conversation: async () => (await import('./commands/conversation.ts')).conversation,
  records: async () => (await import('./commands/records.ts')).records,
  aggregate: async () => (await import('./commands/aggregate.ts')).aggregate,
  schema: async () => (await import('./commands/schema.ts')).schema,
  ledger: async () => (await import('./commands/ledger.ts')).ledger,
  export: async () => (await import('./commands/export.ts')).exportData,
  restore: async () => (await import('./commands/restore.ts')).restore,
  backup: async () => (await import('./commands/backup.ts')).backup,
  'meaning on': async () => (await meaning()).meaningOn,
  'meaning off': async () => (await meaning()).meaningOff,
  'meaning status': async () => (await meaning()).meaningStatus,
  tour: async () => (await import('./tour/tour.ts')).tour,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  version: async () => (await import('./commands/version.ts')).version,
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(LOADERS).map(load => load()))
}

/** The commands that a person may have meant by a word: those whose first word is nearest to it, if any is near. */
export function resembling(word: string): string[] {
  const changes = (name: string) => editDistance(name.split(' ')[0] ?? '', word)
  const names = Object.keys(LOADERS)
  const fewest = Math.min(...names.map(changes))
  const near = fewest > MOST_TYPOS ? [] : names.filter(name => changes(name) === fewest)
  return near.filter(name => !near.some(other => name.startsWith(`${other} `)))
}

/** The command that the arguments begin with; of `apps` and `apps allow` the longer one. */
export async function findCommand(argv: readonly string[]): Promise<Command | undefined> {
  const names = Object.keys(LOADERS).filter(each => each.split(' ').every((word, i) => argv[i] === word))
  const name = names.sort((one, other) => other.length - one.length)[0]
  return name === undefined ? undefined : LOADERS[name]?.()
}
