import { basename } from 'node:path'
import { after, test } from 'node:test'
import { getCallSites } from 'node:util'
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
  const tags = [basename(getCallSites(2)[1]?.scriptName ?? '')]
  for (const engine of ENGINES) test(`${title} [${engine}]`, { tags }, () => work(engine))
}

/** For slow tests: one engine in `npm test`, both in `npm run prove`. */
export const onOneEngine: typeof onEachEngine = PROVING
  ? onEachEngine
  : (title, work) => {
      const tags = [basename(getCallSites(2)[1]?.scriptName ?? '')]
      test(`${title} [sqlite]`, { tags }, () => work('sqlite'))
    }
