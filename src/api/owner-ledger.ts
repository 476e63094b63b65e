import type { Shown } from '../model/access/shown.ts'
import { list, PAGE } from './list.ts'
import { text, time } from './parameter.ts'
import { ownerRoute } from './route.ts'
import { choice, constant, listOf, mapOf, object, orNull, type Schema, TEXT, TIME } from './schema.ts'

const SHOWN: Schema<Shown> = object(
  { connection_id: TEXT, stream: TEXT, record_ids: listOf(TEXT), fields: listOf(TEXT) },
  {
    ranges: mapOf(
      listOf<[number, number]>({ type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 }),
    ),
  },
)

export const listDisclosures = ownerRoute('GET', '/v1/owner/disclosures', {
  summary: 'What clients were shown, newest first',
  parameters: { ...PAGE, client_id: text(), since: time(), until: time() },
  reply: list(
    object({
      object: constant('disclosure'),
      disclosure_id: TEXT,
      at: TIME,
      request_id: TEXT,
      client_id: TEXT,
      grant_ids: listOf(TEXT),
      route: TEXT,
      shown: listOf(SHOWN),
    }),
  ),
})

export const listAudit = ownerRoute('GET', '/v1/owner/audit', {
  summary: 'What changed about grants and sign-ins, newest first',
  parameters: { ...PAGE, grant_id: text() },
  reply: list(
    object({
      object: constant('audit_event'),
      event_id: TEXT,
      at: TIME,
      event: TEXT,
      actor: choice(['owner', 'client', 'server']),
      client_id: orNull(TEXT),
      grant_id: orNull(TEXT),
      detail: orNull(TEXT),
    }),
  ),
})

export const exportEverything = ownerRoute('GET', '/v1/owner/export', {
  summary: 'Everything of the owner as lines of JSON',
  reply: 'application/x-ndjson',
})
