import type { Shown } from '../model/access/shown.ts'
import { list, PAGE } from './list.ts'
import * as p from './parameter.ts'
import { ownerRoute } from './route.ts'
import type { Schema } from './schema.ts'
import * as s from './schema.ts'

const RANGE: Schema<[number, number]> = { type: 'array', items: s.INTEGER, minItems: 2, maxItems: 2 }
const SHOWN: Schema<Shown> = s.object(
  { ...s.each(s.TEXT, 'connection_id', 'stream'), ...s.each(s.listOf(s.TEXT), 'record_ids', 'fields') },
  { ranges: s.mapOf(s.listOf(RANGE)) },
)

export const listDisclosures = ownerRoute('GET', '/v1/owner/disclosures', {
  summary: 'What clients were shown, newest first',
  parameters: { ...PAGE, client_id: p.text(), since: p.time(), until: p.time() },
  reply: list(
    s.object({
      object: s.constant('disclosure'),
      ...s.each(s.TEXT, 'disclosure_id', 'request_id', 'client_id', 'route'),
      at: s.TIME,
      grant_ids: s.listOf(s.TEXT),
      shown: s.listOf(SHOWN),
    }),
  ),
})

export const listAudit = ownerRoute('GET', '/v1/owner/audit', {
  summary: 'What changed about grants and sign-ins, newest first',
  parameters: { ...PAGE, grant_id: p.text() },
  reply: list(
    s.object({
      object: s.constant('audit_event'),
      ...s.each(s.TEXT, 'event_id', 'event'),
      at: s.TIME,
      actor: s.choice(['owner', 'client', 'server']),
      ...s.each(s.orNull(s.TEXT), 'client_id', 'grant_id', 'detail'),
    }),
  ),
})

export const exportEverything = ownerRoute('GET', '/v1/owner/export', {
  summary: 'Everything of the owner as lines of JSON',
  reply: 'application/x-ndjson',
})
