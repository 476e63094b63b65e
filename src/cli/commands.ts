import type { Command } from './command.ts'
import { nearestTo } from './terminal/edit-distance.ts'

/** Every command, in the order in which they are listed. */
const SUMMARIES: Readonly<Record<string, string>> = {
  start: 'Starts the server. If the data folder is empty, imports sample data and shows a first answer.',
  serve: 'Serves the data, and imports from watched folders.',
  mcp: 'Serves the MCP tools over stdio, reading from a resource server with a scoped token.',
  import: 'Imports your own exports: files, folders, zips or tars.',
  'sign-in-link': 'Prints a one-time link that signs a browser in as the owner.',
  'owner-token': 'Creates an owner token and prints it. Earlier ones stay valid.',
  'owner-token list': 'Lists the owner tokens by id. The ids give no access.',
  'owner-token revoke': 'Revokes owner tokens. The next request with one is refused.',
  'grant create': 'Grants a client access to exactly what you name, and prints its token.',
  'grant list': 'Lists the grants, each with its app and source.',
  'grant show': 'Shows what a grant gives access to.',
  'grant revoke': 'Revokes grants. The next request is refused.',
  apps: 'Lists the apps that have access, and which sources each can read.',
  'apps allow': 'Lets a connected app read more sources, without a new sign-in.',
  connections: 'Lists the connections: accounts and files that records come from.',
  'connections rename': 'Renames a connection.',
  'connections remove': 'Removes a connection and all its records, after showing what will be removed.',
  'imports list': 'Lists the imports, newest first, with time, source and number of records.',
  'imports show': 'Shows an import and what it rejected, with the reasons.',
  'imports remove': 'Removes an import with the records that only it brought.',
  'watch add': 'Watches a folder: the server imports its files, and later what is new or changed.',
  'watch list': 'Lists the watched folders.',
  'watch remove': 'Stops watching a folder. Imported records stay.',
  'sync add': 'Keeps a mail account in sync over IMAP, read-only.',
  'sync run': 'Syncs one account now, or all of them.',
  'sync list': 'Lists the synced accounts, with last run, next run and last error.',
  'sync remove': 'Stops syncing an account and deletes its password. Its records stay.',
  'samples import': 'Imports the sample data, as the first start does automatically.',
  'samples remove': 'Removes the sample data. It does not come back.',
  connect: 'Connects an assistant: prints what to paste, or sets it up with --write.',
  search: 'Finds records by words and shows the matching passages.',
  read: 'Reads a window of a text field, or shows a record with long texts cut.',
  conversation: 'Shows the conversation around a record, in order.',
  records: 'Lists the records of a stream, or of all streams, newest first.',
  aggregate: 'Counts the records of a stream or of all streams, in groups, or sums a field.',
  schema: 'Shows the streams, their connections and their fields.',
  ledger: 'Shows what clients were shown, newest first.',
  export: 'Exports everything as JSON lines, to move it or to keep it.',
  restore: 'Restores an export into an empty data folder or database, on either engine.',
  backup: 'Copies a consistent snapshot of the SQLite files into a folder, even while a server runs.',
  'meaning on':
    'Installs a small language model in the data folder, so that search also ranks hits by meaning.',
  'meaning off': 'Turns meaning off, and removes the model and the vectors of all records.',
  'meaning status':
    'Shows whether meaning is on, how many records have a vector, and how long the rest will take.',
  'ocr on': 'Installs text recognition in the data folder, so that imports also read scans and pictures.',
  'ocr off': 'Turns text recognition off and removes it.',
  'ocr status': 'Shows whether text recognition is on.',
  tour: 'Walks from a question to its source as each kind of client sees it, and shows the cost.',
  doctor: 'Checks the installation and the data, and says how to fix what it finds.',
  version: 'Prints the version.',
}

/**
 * The file of a command, or of all commands that begin with a word. A command is loaded when it is called: an assistant that starts `mcp`
 * waits for nothing else, and listing the commands loads none of them.
 */
const FILES: Record<string, () => Promise<object>> = {
  start: () => import('./commands/start.ts'),
  serve: () => import('./commands/serve.ts'),
  mcp: () => import('./commands/mcp.ts'),
  import: () => import('./import/import.ts'),
  'sign-in-link': () => import('./commands/sign-in-link.ts'),
  'owner-token': () => import('./commands/owner-token.ts'),
  grant: () => import('./commands/grants.ts'),
  apps: () => import('./apps/apps.ts'),
  connections: () => import('./sources/connections.ts'),
  imports: () => import('./sources/imports.ts'),
  watch: () => import('./sources/watch.ts'),
  sync: () => import('./sync/syncs.ts'),
  'sync add': () => import('./sync/sync-add.ts'),
  samples: () => import('./sources/samples.ts'),
  connect: () => import('./connect/connect.ts'),
  search: () => import('./commands/search.ts'),
  read: () => import('./commands/read.ts'),
  conversation: () => import('./commands/conversation.ts'),
  records: () => import('./commands/records.ts'),
  aggregate: () => import('./commands/aggregate.ts'),
  schema: () => import('./commands/schema.ts'),
  ledger: () => import('./commands/ledger.ts'),
  export: () => import('./commands/export.ts'),
  restore: () => import('./commands/restore.ts'),
  backup: () => import('./commands/backup.ts'),
  meaning: () => import('./commands/meaning.ts'),
  ocr: () => import('./commands/ocr.ts'),
  tour: () => import('./tour/tour.ts'),
  doctor: () => import('./commands/doctor.ts'),
  version: () => import('./commands/version.ts'),
}

/** The commands by name, with a summary of each. */
export function summaries(): [name: string, summary: string][] {
  return Object.entries(SUMMARIES)
}

/** The same for those that begin with a word, such as `grant create` and `grant list` with `grant`. */
export function summariesUnder(word: string): [name: string, summary: string][] {
  return summaries().filter(([name]) => name.startsWith(`${word} `))
}

export function summaryOf({ name }: Command): string {
  return SUMMARIES[name] ?? ''
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.keys(SUMMARIES).map(load))
}

async function load(name: string): Promise<Command> {
  const file = FILES[name] ?? FILES[wordOf(name)]
  const command = Object.values((await file?.()) ?? {}).find(each => each.name === name && 'run' in each)
  if (!command) throw new Error(`No file has the command ${name}.`)
  return command
}

function wordOf(name: string): string {
  return name.split(' ')[0] ?? ''
}

/** The commands that a person may have meant by a word: those whose first word is most similar, if any is. */
export function resembling(word: string): string[] {
  const names = Object.keys(SUMMARIES)
  const words = nearestTo(word, names.map(wordOf))
  const near = names.filter(name => words.includes(wordOf(name)))
  return near.filter(name => !near.some(other => name.startsWith(`${other} `)))
}

/** The command that the arguments begin with; of `apps` and `apps allow`, the longer one. */
export async function findCommand(argv: readonly string[]): Promise<Command | undefined> {
  const names = Object.keys(SUMMARIES).filter(each => each.split(' ').every((word, i) => argv[i] === word))
  const name = names.sort((one, other) => other.length - one.length)[0]
  return name === undefined ? undefined : load(name)
}
