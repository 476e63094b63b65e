import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { readBlob as blobRoute } from '../../api/blobs.ts'
import { addressOf } from '../../api/route.ts'
import { CodedError, type ErrorDetails } from '../../model/errors.ts'
import {
  isConversationUri,
  isRecordUri,
  nameable,
  parseConversationUri,
  referenceOf,
} from '../../model/ids/handle.ts'
import { isBlobUri, isFieldWindowUri, parseBlobUri, parseFieldWindowUri } from '../../model/ids/window-uri.ts'
import type { JsonObject } from '../../model/json.ts'
import { APP_PAGES, APP_TYPE } from '../apps.ts'
import { describeError, ProviderError } from '../reading/provider-error.ts'
import { parsed, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { readWindow } from '../reading/window.ts'
import { conversationAround } from '../rendering/conversation-text.ts'
import { blobUrl } from '../rendering/ladder.ts'
import { windowMeta } from '../rendering/neighbour-windows.ts'
import { readDocument } from '../rendering/read-document.ts'
import { visible } from '../text/quote.ts'
import { type Report, typedError } from './call-tool.ts'

const MOST_BLOB_BYTES = 1024 * 1024

/** Every resource template; handles identify records and give no access (RC-1). */
export const RESOURCE_TEMPLATES = [
  {
    name: 'record',
    title: 'Record',
    uriTemplate: 'pdpp://record/{handle}',
    description: 'A record as one bounded document; the handle is its id, percent-encoded',
    mimeType: 'application/json',
  },
  {
    name: 'field-window',
    title: 'Window of a text field',
    uriTemplate: 'pdpp://field-window/{handle}',
    description: 'A window of a text; its neighbours are in _meta["footnote/window"]',
    mimeType: 'text/plain',
  },
  {
    name: 'conversation',
    title: 'Conversation',
    uriTemplate: 'pdpp://conversation/{handle}',
    description:
      'The messages around a record, as read_conversation shows them; the handle is its id, percent-encoded',
    mimeType: 'application/json',
  },
  {
    name: 'blob',
    title: 'Binary content',
    uriTemplate: 'pdpp://blob/{handle}',
    description: 'Bytes up to 1 MiB',
  },
]

/** For hosts that show pages: a page needs no network access. */
const PAGE_META: JsonObject = {
  csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
  prefersBorder: true,
}

export interface ResourceResult {
  [key: string]: unknown
  contents: ({ uri: string; mimeType?: string; _meta?: JsonObject } & ({ text: string } | { blob: string }))[]
  _meta?: JsonObject
}

/** Reads a resource; if it is missing or forbidden, throws a protocol error that says why (RC-3). */
export async function readResource(
  uri: string,
  client: ResourceServerClient,
  report: Report,
): Promise<ResourceResult> {
  const page = APP_PAGES.get(uri)
  if (page !== undefined)
    return { contents: [{ uri, mimeType: APP_TYPE, text: page, _meta: { ui: PAGE_META } }] }
  try {
    if (isRecordUri(uri)) return await readRecord(uri, client)
    if (isFieldWindowUri(uri)) return await readFieldWindow(uri, client)
    if (isConversationUri(uri)) return await readConversation(uri, client)
    if (isBlobUri(uri)) return await readBlob(uri, client)
  } catch (error) {
    throw protocolError(uri, typedError(error, report))
  }
  throw new ResourceNotFoundError(uri, 'not_found: This server does not have this resource.')
}

async function readRecord(uri: string, client: ResourceServerClient): Promise<ResourceResult> {
  const { document } = await readDocument(client, referenceOf(uri, undefined))
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(document) }] }
}

async function readFieldWindow(uri: string, client: ResourceServerClient): Promise<ResourceResult> {
  const { record, field_path, selector, digest } = parseFieldWindowUri(uri)
  const read = await readWindow(client, nameable(record), field_path, selector)
  if (digest !== null && read.field.digest !== undefined && read.field.digest !== digest) {
    throw new CodedError(
      'stale_cursor',
      'The text has changed since this URI was issued. Read it from the start.',
      { field_path, digest: read.field.digest },
    )
  }
  const meta: JsonObject = { 'footnote/window': windowMeta(read, selector) }
  const mimeType = read.field.mime_type ?? 'text/plain'
  return { contents: [{ uri, mimeType, text: read.window.text, _meta: meta }], _meta: meta }
}

async function readConversation(uri: string, client: ResourceServerClient): Promise<ResourceResult> {
  const { structured } = await conversationAround(client, nameable(parseConversationUri(uri)))
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(structured) }] }
}

async function readBlob(uri: string, client: ResourceServerClient): Promise<ResourceResult> {
  const blob_id = parseBlobUri(uri)
  const { status, type, bytes } = await client
    .read(addressOf(blobRoute, { blob_id }), MOST_BLOB_BYTES)
    .catch((error: unknown) => {
      if (!(error instanceof CodedError && error.code === 'provider_answer_too_large')) throw error
      throw tooLarge(client, blob_id, error.details)
    })
  if (status !== 200) throw new ProviderError(status, parsed(Buffer.from(bytes).toString()))
  const mimeType = type ?? 'application/octet-stream'
  return { contents: [{ uri, mimeType, blob: Buffer.from(bytes).toString('base64') }] }
}

function tooLarge(client: ResourceServerClient, blob_id: string, details: ErrorDetails): CodedError {
  const export_url = blobUrl(client.provider.url, blob_id)
  const message = `The blob is larger than 1 MiB. Download it from ${export_url}.`
  return new CodedError('blob_too_large', message, { export_url, ...details })
}

function protocolError(uri: string, error: CodedError | ProviderError): ProtocolError {
  const told = describeError(error)
  const message = visible(`${told.code}: ${told.message}`)
  if (error.status === 404) return new ResourceNotFoundError(uri, message)
  const code = error.status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
  return new ProtocolError(code, message, { uri, ...told })
}
