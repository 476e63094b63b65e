import * as api from '../../api/discovery.ts'
import type { ReplyOf } from '../../api/route.ts'
import { isMigrated } from '../../store/engine/migrations.ts'
import type { Store } from '../../store/store.ts'
import { json, type Reply } from '../request/responses.ts'
import { servePublic } from '../request/serve.ts'

type PartState = 'ok' | 'down'

/** Whether the process is alive: each part that it cannot work without is asked. */
export const health = servePublic(api.health, async ({ store }) => reported(await partsOf(store)))

/** Whether it is ready to serve: all of that, and tables that are those of this version. */
export const readiness = servePublic(api.readiness, async ({ store }) => {
  const migrations = state(
    Promise.all([isMigrated(store.database, 'store'), isMigrated(store.ledger.database, 'ledger')]).then(
      all => all.every(Boolean) || Promise.reject(new Error('The tables are of another version.')),
    ),
  )
  return reported({ ...(await partsOf(store)), migrations: await migrations })
})

async function partsOf(store: Store): Promise<Record<string, PartState>> {
  const [database, ledger, writer] = await Promise.all([
    state(store.database.get('SELECT 1 AS one')),
    state(store.ledger.database.get('SELECT 1 AS one')),
    state(store.writer.call('sealingKey', null)),
  ])
  return { database, ledger, writer }
}

function state(asked: Promise<unknown>): Promise<PartState> {
  return asked.then(
    () => 'ok',
    () => 'down',
  )
}

function reported(parts: Record<string, PartState>): Reply<ReplyOf<typeof api.health>> {
  const ok = !Object.values(parts).includes('down')
  return json({ status: ok ? 'ok' : 'unavailable', parts }, ok ? 200 : 503)
}
