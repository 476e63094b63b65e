import * as api from '../../api/discovery.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { PartState } from '../../store/threads/worker.ts'
import { json, type Reply } from '../request/responses.ts'
import { servePublic } from '../request/serve.ts'

/** Whether the process is alive: checks each part that it cannot work without. */
export const health = servePublic(api.health, async ({ store }) => reported((await store.health()).parts))

/** Whether it is ready to serve: all of the above, and the tables match this version. */
export const readiness = servePublic(api.readiness, async ({ store }) => {
  const [{ parts }, migrations] = await Promise.all([store.health(), store.migrations()])
  return reported({ ...parts, migrations })
})

function reported(parts: Record<string, PartState>): Reply<ReplyOf<typeof api.health>> {
  const ok = !Object.values(parts).includes('down')
  return json({ status: ok ? 'ok' : 'unavailable', parts }, ok ? 200 : 503)
}
