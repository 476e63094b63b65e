import { basename } from 'node:path'
import { after, test } from 'node:test'
import { getCallSites } from 'node:util'
import type { Database } from '../src/store/engine/database.ts'
import type { Store } from '../src/store/store.ts'
import { PROVING } from './limits.ts'
import { ENGINES, type Engine } from './places.ts'
import { stopPostgres } from './postgres.ts'

export { count, PROVING } from './limits.ts'
export { ENGINES, type Engine, freshLocation, type Place, storeLocation } from './places.ts'
export { type Answer, type MadeGrants, PUBLIC_URL, type ServerOptions, TestServer } from './test-server.ts'

after(stopPostgres)

/**
 * A test that runs on each engine; its title cites the requirements it covers. Its tag is the name of the calling
 * file.
 */
export function onEachEngine(title: string, work: (engine: Engine) => Promise<void>): void {
  define(title, work, ENGINES, callingFile())
}

/** For slow tests: one engine in `npm test`, both in `npm run prove`. */
export const onOneEngine: typeof onEachEngine = (title, work) =>
  define(title, work, PROVING ? ENGINES : ['sqlite'], callingFile())

/**
 * For pages, tools and commands, whose routes and calls of the store are tested on each engine elsewhere. In `npm test`
 * the tests of a file take turns on the engines; in `npm run prove` each runs on both.
 */
export const onEitherEngine: typeof onEachEngine = (title, work) => {
  const file = callingFile()
  const turn = turns.get(file) ?? 1
  turns.set(file, 1 - turn)
  define(title, work, PROVING ? ENGINES : ENGINES.slice(turn, turn + 1), file)
}

const turns = new Map<string, number>()

function define(
  title: string,
  work: (engine: Engine) => Promise<void>,
  engines: readonly Engine[],
  file: string,
): void {
  for (const engine of engines) test(`${title} [${engine}]`, { tags: [file] }, () => work(engine))
}

/** The name of the file that called the caller. */
function callingFile(): string {
  return basename(getCallSites(3)[2]?.scriptName ?? '')
}

/** The database of a store for a test that changes what is stored without the writer. */
export function writable(store: Store): Database {
  return store.database as Database
}
