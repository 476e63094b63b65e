import { addressOf } from '../../api/path.ts'
import { listRecords } from '../../api/records.ts'
import type { Access } from '../../model/access/enforce.ts'
import type { GrantedStream } from '../../model/access/grant.ts'
import type { JsonObject } from '../../model/json.ts'
import type { AuthorizationEnvironment } from '../environment.ts'

/** An opening, and what a client would find behind it: how many records, and the newest of them. */
export interface Shared {
  granted: GrantedStream
  count: number
  example: JsonObject | null
}

/** More than a page shows, so that it knows when it has to cut. */
const EXAMPLE_CHARS = 300

/** Asks the resource server what a client with exactly these openings would be shown. */
export async function previewStreams(
  env: AuthorizationEnvironment,
  streams: readonly GrantedStream[],
): Promise<Shared[]> {
  return Promise.all(streams.map(granted => previewStream(env, granted)))
}

async function previewStream(env: AuthorizationEnvironment, granted: GrantedStream): Promise<Shared> {
  const nobody = { grant_id: 'preview', client_id: 'preview' }
  const access: Access = {
    kind: 'client',
    owner_id: env.store.owner_id,
    client_id: nobody.client_id,
    grants: [{ ...nobody, streams: [granted] }],
  }
  const query = {
    connection_id: granted.connection_id,
    limit: '1',
    count: 'exact',
    max_field_chars: EXAMPLE_CHARS,
  }
  const path = addressOf(listRecords, granted, query)
  const page = (await env.preview(access, path)) as { data: { data: JsonObject }[]; meta: { count: number } }
  return { granted, count: page.meta.count, example: page.data[0]?.data ?? null }
}
