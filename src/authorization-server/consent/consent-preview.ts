import { listRecords } from '../../api/records.ts'
import { addressOf } from '../../api/route.ts'
import type { Access } from '../../model/access/enforce.ts'
import { GRANT_VERSION, type Grant, type GrantTerms } from '../../model/access/grant.ts'
import type { JsonObject } from '../../model/json.ts'
import { inWaves } from '../../pages/in-waves.ts'
import type { AuthorizationEnvironment } from '../environment.ts'

/**
 * A stream that would be granted, and what a client would find in it: the number of records, and the newest of them.
 */
export interface Preview {
  count: number
  example: JsonObject | null
}

/** More than a page shows, so that the page can tell when to cut. */
const EXAMPLE_CHARS = 300

/** Asks the resource server what a client with exactly these terms would be shown, stream by stream. */
export async function previewTerms(env: AuthorizationEnvironment, terms: GrantTerms): Promise<Preview[]> {
  const { owner_id } = env.store
  const grant: Grant = {
    ...terms,
    version: GRANT_VERSION,
    grant_id: 'preview',
    issued_at: env.clock().toISOString(),
    subject: { id: owner_id },
    client: { client_id: 'preview' },
  }
  const access: Access = { kind: 'client', owner_id, client_id: 'preview', grants: [grant] }
  const query = { limit: '1', count: 'exact', max_field_chars: EXAMPLE_CHARS }
  return inWaves(terms.streams, async ({ name }) => {
    const page = (await env.preview(access, addressOf(listRecords, { stream: name }, query))) as {
      data: { data: JsonObject }[]
      meta: { count: number }
    }
    return { count: page.meta.count, example: page.data[0]?.data ?? null }
  })
}
