import type { Command } from './command.ts'
import { nearestTo } from './terminal/edit-distance.ts'

const apps = () => import('./apps/apps.ts')
const connections = () => import('./sources/connections.ts')
const imports = () => import('./sources/imports.ts')
const syncs = () => import('./sync/syncs.ts')
const samples = () => import('./sources/samples.ts')
const watch = () => import('./sources/watch.ts')
const ownerTokens = () => import('./commands/owner-token.ts')
const meaning = () => import('./commands/meaning.ts')
const ocr = () => import('./commands/ocr.ts')
const grants = () => import('./commands/grants.ts')

/**
 * Every command. A command is loaded when it is called: an assistant that starts `mcp` waits for nothing else, and
 * listing the commands loads none of them.
 */
const COMMANDS: Record<string, { summary: string; load: () => Promise<Command> }> = {
  start: {
    summary: 'Starts the server. If the data folder is empty, imports sample data and shows a first answer.',
    load: async () => (await import('./commands/start.ts')).start,
  },
  serve: {
    summary: 'Serves the data, and imports from watched folders.',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  mcp: {
    summary: 'Serves the MCP tools over stdio, reading from a resource server with a scoped token.',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  import: {
    summary: 'Imports your own exports: files, folders, zips or tars.',
    load: async () => (await import('./import/import.ts')).importCommand,
  },
  'sign-in-link': {
    summary: 'Prints a one-time link that signs a browser in as the owner.',
    load: async () => (await import('./commands/sign-in-link.ts')).signInLink,
  },
  'owner-token': {
    summary: 'Creates an owner token and prints it. Earlier ones stay valid.',
    load: async () => (await ownerTokens()).ownerToken,
  },
  'owner-token list': {
    summary: 'Lists the owner tokens by id. The ids give no access.',
    load: async () => (await ownerTokens()).ownerTokenList,
  },
  'owner-token revoke': {
    summary: 'Revokes owner tokens. The next request with one is refused.',
    load: async () => (await ownerTokens()).ownerTokenRevoke,
  },
  'grant create': {
    summary: 'Grants a client access to exactly what you name, and prints its token.',
    load: async () => (await grants()).grantCreate,
  },
  'grant list': {
    summary: 'Lists the grants.',
    load: async () => (await grants()).grantList,
  },
  'grant show': {
    summary: 'Shows what a grant gives access to.',
    load: async () => (await grants()).grantShow,
  },
  'grant revoke': {
    summary: 'Revokes grants. The next request is refused.',
    load: async () => (await grants()).grantRevoke,
  },
  apps: {
    summary: 'Lists the apps that have access, and which sources each can read.',
    load: async () => (await apps()).apps,
  },
  'apps allow': {
    summary: 'Lets a connected app read more sources, without a new sign-in.',
    load: async () => (await apps()).appsAllow,
  },
  connections: {
    summary: 'Lists the connections: accounts and files that records come from.',
    load: async () => (await connections()).connections,
  },
  'connections rename': {
    summary: 'Renames a connection.',
    load: async () => (await connections()).connectionsRename,
  },
  'connections remove': {
    summary: 'Removes a connection and all its records, after showing what will be removed.',
    load: async () => (await connections()).connectionsRemove,
  },
  'imports list': {
    summary: 'Lists the imports, newest first, with time, source and number of records.',
    load: async () => (await imports()).importsList,
  },
  'imports show': {
    summary: 'Shows an import and what it rejected, with the reasons.',
    load: async () => (await imports()).importsShow,
  },
  'imports remove': {
    summary: 'Removes an import with the records that only it brought.',
    load: async () => (await imports()).importsRemove,
  },
  'watch add': {
    summary: 'Watches a folder: the server imports its files, and later what is new or changed.',
    load: async () => (await watch()).watchAdd,
  },
  'watch list': {
    summary: 'Lists the watched folders.',
    load: async () => (await watch()).watchList,
  },
  'watch remove': {
    summary: 'Stops watching a folder. Imported records stay.',
    load: async () => (await watch()).watchRemove,
  },
  'sync add': {
    summary: 'Keeps a mail account in sync over IMAP, read-only.',
    load: async () => (await import('./sync/sync-add.ts')).syncAdd,
  },
  'sync run': {
    summary: 'Syncs one account now, or all of them.',
    load: async () => (await syncs()).syncRun,
  },
  'sync list': {
    summary: 'Lists the synced accounts, with last run, next run and last error.',
    load: async () => (await syncs()).syncList,
  },
  'sync remove': {
    summary: 'Stops syncing an account and deletes its password. Its records stay.',
    load: async () => (await syncs()).syncRemove,
  },
  'samples import': {
    summary: 'Imports the sample data, as the first start does automatically.',
    load: async () => (await samples()).samplesImport,
  },
  'samples remove': {
    summary: 'Removes the sample data. It does not come back.',
    load: async () => (await samples()).samplesRemove,
  },
  connect: {
    summary: 'Connects an assistant: prints what to paste, or sets it up with --write.',
    load: async () => (await import('./connect/connect.ts')).connect,
  },
  search: {
    summary: 'Finds records by words and shows the matching passages.',
    load: async () => (await import('./commands/search.ts')).search,
  },
  read: {
    summary: 'Reads a window of a text field, or shows a record with long texts cut.',
    load: async () => (await import('./commands/read.ts')).read,
  },
  conversation: {
    summary: 'Shows the conversation around a record, in order.',
    load: async () => (await import('./commands/conversation.ts')).conversation,
  },
  records: {
    summary: 'Lists the records of a stream, or of all streams, newest first.',
    load: async () => (await import('./commands/records.ts')).records,
  },
  aggregate: {
    summary: 'Counts the records of a stream or of all streams, in groups, or sums a field.',
    load: async () => (await import('./commands/aggregate.ts')).aggregate,
  },
  schema: {
    summary: 'Shows the streams, their connections and their fields.',
    load: async () => (await import('./commands/schema.ts')).schema,
  },
  ledger: {
    summary: 'Shows what clients were shown, newest first.',
    load: async () => (await import('./commands/ledger.ts')).ledger,
  },
  export: {
    summary: 'Exports everything as JSON lines, to move it or to keep it.',
    load: async () => (await import('./commands/export.ts')).exportData,
  },
  restore: {
    summary: 'Restores an export into an empty data folder or database, on either engine.',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  backup: {
    summary: 'Copies a consistent snapshot of the SQLite files into a folder, even while a server runs.',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  'meaning on': {
    summary: 'Installs a small language model in the data folder, so that search also ranks hits by meaning.',
    load: async () => (await meaning()).meaningOn,
  },
  'meaning off': {
    summary: 'Turns meaning off, and removes the model and the vectors of all records.',
    load: async () => (await meaning()).meaningOff,
  },
  'meaning status': {
    summary: 'Shows whether meaning is on, how many records have a vector, and how long the rest will take.',
    load: async () => (await meaning()).meaningStatus,
  },
  'ocr on': {
    summary: 'Installs text recognition in the data folder, so that imports also read scans and pictures.',
    load: async () => (await ocr()).ocrOn,
  },
  'ocr off': {
    summary: 'Turns text recognition off and removes it.',
    load: async () => (await ocr()).ocrOff,
  },
  'ocr status': {
    summary: 'Shows whether text recognition is on.',
    load: async () => (await ocr()).ocrStatus,
  },
  tour: {
    summary: 'Walks from a question to its source as each kind of client sees it, and shows the cost.',
    load: async () => (await import('./tour/tour.ts')).tour,
  },
  doctor: {
    summary: 'Checks the installation and the data, and says how to fix what it finds.',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  version: {
    summary: 'Prints the version.',
    load: async () => (await import('./commands/version.ts')).version,
  },
}

/** The commands by name, with a summary of each. */
export function summaries(): [name: string, summary: string][] {
  return Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary])
}

/** The same for those that begin with a word, such as `grant create` and `grant list` with `grant`. */
export function summariesUnder(word: string): [name: string, summary: string][] {
  return summaries().filter(([name]) => name.startsWith(`${word} `))
}

export function summaryOf({ name }: Command): string {
  return COMMANDS[name]?.summary ?? ''
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map(({ load }) => load()))
}

/** The commands that a person may have meant by a word: those whose first word is most similar, if any is. */
export function resembling(word: string): string[] {
  const firstOf = (name: string) => name.split(' ')[0] ?? ''
  const names = Object.keys(COMMANDS)
  const words = nearestTo(word, names.map(firstOf))
  const near = names.filter(name => words.includes(firstOf(name)))
  return near.filter(name => !near.some(other => name.startsWith(`${other} `)))
}

/** The command that the arguments begin with; of `apps` and `apps allow`, the longer one. */
export async function findCommand(argv: readonly string[]): Promise<Command | undefined> {
  const names = Object.keys(COMMANDS).filter(each => each.split(' ').every((word, i) => argv[i] === word))
  const name = names.sort((one, other) => other.length - one.length)[0]
  return name === undefined ? undefined : COMMANDS[name]?.load()
}
