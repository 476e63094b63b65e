import { readAudit } from './owner/owner-audit.ts'
import {
  changeConnection,
  createConnection,
  deleteConnection,
  readConnection,
  readConnections,
  readDeclarations,
  registerDeclaration,
} from './owner/owner-catalog.ts'
import { readDisclosures } from './owner/owner-disclosures.ts'
import { exportEverything } from './owner/owner-export.ts'
import { createGrant, readClients, readGrants, readOneGrant, revokeGrant } from './owner/owner-grants.ts'
import { beginImport, noteImport, readImport, readImports, readRejections } from './owner/owner-imports.ts'
import { deleteRecord, ingest } from './owner/write-records.ts'
import { aggregate } from './reads/aggregate.ts'
import { downloadBlob, uploadBlob } from './reads/blobs.ts'
import { health, protectedMcp, protectedResource } from './reads/discovery.ts'
import { fieldWindow } from './reads/field-window.ts'
import { listRecords } from './reads/list-records.ts'
import { readRecord } from './reads/read-record.ts'
import { readSchema } from './reads/read-schema.ts'
import { listStreams, readStream } from './reads/read-streams.ts'
import { search } from './reads/search.ts'
import type { Environment, RequestContext } from './request/context.ts'
import type { Reply } from './request/responses.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

interface RouteBase {
  method: Method
  path: string
  /** The query parameters it takes; `filter` stands for `filter[field]` and `filter[field][op]`. */
  parameters: readonly string[]
}

/** `any`: an owner's or a client's token, under the grant. `owner`: an owner's token. */
export type Route =
  | (RouteBase & { access: 'any' | 'owner'; handle: (context: RequestContext) => Promise<Reply> })
  | (RouteBase & { access: 'public'; handle: (env: Environment) => Reply | Promise<Reply> })

const STREAM = '/v1/streams/:stream'
const RECORD = `${STREAM}/records/:record_id`
const PAGE = ['limit', 'cursor']
const SELECTOR = ['cursor', 'offset_chars', 'limit_chars', 'q', 'before_chars', 'after_chars']
const GROUPING = ['metric', 'field', 'group_by', 'group_by_time', 'granularity', 'time_zone']

function read(
  path: string,
  parameters: readonly string[],
  handle: (context: RequestContext) => Promise<Reply>,
): Route {
  return { method: 'GET', path, access: 'any', parameters, handle }
}

function owner(
  method: Method,
  path: string,
  parameters: readonly string[],
  handle: (context: RequestContext) => Promise<Reply>,
): Route {
  return { method, path, access: 'owner', parameters, handle }
}

/** Every route there is. */
export const ROUTES: readonly Route[] = [
  read('/v1/schema', ['view', 'stream', 'connection_id'], readSchema),
  read('/v1/streams', [], listStreams),
  read(STREAM, ['connection_id'], readStream),
  read(
    `${STREAM}/records`,
    [...PAGE, 'order', 'fields', 'filter', 'connection_id', 'changes_since', 'count', 'max_field_chars'],
    listRecords,
  ),
  read(RECORD, ['connection_id', 'fields', 'max_field_chars'], readRecord),
  read(`${RECORD}/field-window`, ['connection_id', 'field', ...SELECTOR], fieldWindow),
  read(`${STREAM}/aggregate`, [...GROUPING, 'limit', 'filter', 'connection_id'], aggregate),
  read(
    '/v1/search',
    [
      ...PAGE,
      'q',
      'windows',
      'window_chars',
      'streams',
      'connection_id',
      'since',
      'until',
      'filter',
      'record',
    ],
    search,
  ),
  read('/v1/blobs/:blob_id', [], downloadBlob),

  owner('POST', '/v1/ingest/:stream', ['connection_id'], ingest),
  owner('DELETE', RECORD, ['connection_id'], deleteRecord),
  owner('POST', '/v1/blobs', [], uploadBlob),
  owner('GET', '/v1/owner/declarations', [], readDeclarations),
  owner('POST', '/v1/owner/declarations', [], registerDeclaration),
  owner('GET', '/v1/owner/connections', [], readConnections),
  owner('POST', '/v1/owner/connections', [], createConnection),
  owner('GET', '/v1/owner/connections/:connection_id', [], readConnection),
  owner('PATCH', '/v1/owner/connections/:connection_id', [], changeConnection),
  owner('DELETE', '/v1/owner/connections/:connection_id', [], deleteConnection),
  owner('GET', '/v1/owner/imports', [...PAGE, 'connection_id'], readImports),
  owner('POST', '/v1/owner/imports', [], beginImport),
  owner('GET', '/v1/owner/imports/:import_id', [], readImport),
  owner('PATCH', '/v1/owner/imports/:import_id', [], noteImport),
  owner('GET', '/v1/owner/imports/:import_id/rejections', PAGE, readRejections),
  owner('GET', '/v1/owner/grants', [], readGrants),
  owner('POST', '/v1/owner/grants', [], createGrant),
  owner('GET', '/v1/owner/grants/:grant_id', [], readOneGrant),
  owner('DELETE', '/v1/owner/grants/:grant_id', [], revokeGrant),
  owner('GET', '/v1/owner/clients', [], readClients),
  owner('GET', '/v1/owner/audit', [...PAGE, 'grant_id'], readAudit),
  owner('GET', '/v1/owner/export', [], exportEverything),
  owner('GET', '/v1/owner/disclosures', [...PAGE, 'client_id', 'since', 'until'], readDisclosures),

  {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource',
    access: 'public',
    parameters: [],
    handle: protectedResource,
  },
  {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/mcp',
    access: 'public',
    parameters: [],
    handle: protectedMcp,
  },
  { method: 'GET', path: '/healthz', access: 'public', parameters: [], handle: health },
]
