import type { Shown } from '../../model/access/shown.ts'
import { list, PAGE } from '../list.ts'
import * as p from '../parameter.ts'
import { ownerRoute } from '../route.ts'
import type { Schema } from '../schema.ts'
import * as s from '../schema.ts'

const RANGE: Schema<[number, number]> = { type: 'array', items: s.INTEGER, minItems: 2, maxItems: 2 }
const SHOWN: Schema<Shown> = s.object(
  { ...s.each(s.TEXT, 'connection_id', 'stream'), ...s.each(s.listOf(s.TEXT), 'record_ids', 'fields') },
  { ranges: s.mapOf(s.listOf(RANGE)) },
)

export const listDisclosures = ownerRoute('GET', '/v1/owner/disclosures', {
  summary: 'What clients were shown, newest first',
  parameters: {
    ...PAGE,
    client_id: p.text(),
    record: p.text(),
    since: p.time(),
    until: p.time(),
    queries: p.unbound(p.oneOf(['show'])),
  },
  reply: list(
    s.object(
      {
        object: s.constant('disclosure'),
        ...s.each(s.TEXT, 'disclosure_id', 'request_id', 'client_id', 'route'),
        at: s.TIME,
        status: s.INTEGER,
        grant_ids: s.listOf(s.TEXT),
        ...s.each(s.listOf(SHOWN), 'shown', 'decided'),
      },
      { query: s.orNull(s.TEXT) },
    ),
  ),
})

const STATE = s.choice(['intact', 'unverifiable', 'broken'])
const PROBLEM = s.object({
  kind: s.choice(['deleted', 'altered', 'inserted', 'reordered']),
  chain_id: s.orNull(s.TEXT),
  ...s.each(s.COUNT, 'first', 'last'),
})

export const readLedger = ownerRoute('GET', '/v1/owner/ledger', {
  summary: 'When the ledger was last verified, and what was found',
  reply: s.object({
    object: s.constant('ledger'),
    shows_queries: s.FLAG,
    last_verified: s.orNull(
      s.object({ at: s.TIME, state: STATE, ...s.each(s.COUNT, 'entries', 'problems') }),
    ),
  }),
})

export const verifyLedger = ownerRoute('POST', '/v1/owner/ledger/verify', {
  summary: 'Checks every entry of the ledger',
  reply: s.object({
    object: s.constant('ledger_verification'),
    at: s.TIME,
    state: STATE,
    ...s.each(s.COUNT, 'entries', 'chains', 'unfinished', 'pruned', 'unlinked', 'unverifiable'),
    problem_count: s.COUNT,
    unknown_keys: s.listOf(s.TEXT),
    problems: s.listOf(PROBLEM),
  }),
})

export const pruneLedger = ownerRoute('POST', '/v1/owner/ledger/prune', {
  summary: 'Removes the ledger entries before a time',
  body: s.object({ before: s.TEXT }),
  reply: s.object({ object: s.constant('ledger_pruning'), removed: s.COUNT }),
})

export const exportLedger = ownerRoute('GET', '/v1/owner/ledger/export', {
  summary: 'Every line of the ledger with its signature, as JSON lines',
  reply: 'application/x-ndjson',
})

export const exportLedgerTable = ownerRoute('GET', '/v1/owner/ledger/export.csv', {
  summary: 'Every line of the ledger with its signature, as a table',
  reply: 'text/csv',
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
  summary: 'All data of the owner, as JSON lines',
  reply: 'application/x-ndjson',
})
