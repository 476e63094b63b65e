import { html } from 'hono/html'
import { listGrants } from '../../api/owner/grants.ts'
import { listAudit } from '../../api/owner/ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import { counted } from '../../model/amounts.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { humanName, joined } from '../../pages/words.ts'
import { clientNames } from '../app-names.ts'
import type { GrantWithTerms } from '../apps/app-access.ts'
import { sourceNames } from '../apps/grant-words.ts'
import type { Visit } from '../visit.ts'
import { readVocabulary, type Vocabulary } from '../vocabulary.ts'

const PAGE = 50

/** What changed about apps, sign-ins and settings, newest first. */
export async function showAudit(visit: Visit): Promise<Response> {
  const query = { limit: PAGE, cursor: visit.query.get('from') }
  const { data, next_cursor } = await visit.call(listAudit, {}, { query })
  const changes = changesOf(data)
  const known = await readKnown(visit)
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/settings">Settings</a></p><h1>Changes</h1><p class="lede">Who was given access, who was not, when you signed in, and what you set.</p></header>
${
  changes.length === 0
    ? html`<p class="card soft">Nothing has changed yet.</p>`
    : html`<ol class="rows card">${changes.map(
        change =>
          html`<li class="stack-tight"><div class="head"><span>${changeWords(change, known)}</span><span class="count small">${visit.times.at(change.event.at)}</span></div>${receipts(change, known)}</li>`,
      )}</ol>`
}
${next_cursor === undefined ? '' : html`<p><a class="button" href="?${new URLSearchParams({ from: next_cursor }).toString()}">Earlier</a></p>`}</div>`
  return pageResponse({ title: 'Changes', body, section: 'settings' })
}

/** The apps and grants that changes may be about. */
async function readKnown(visit: Visit): Promise<Known> {
  const [apps, vocabulary, grants] = await Promise.all([
    clientNames(visit),
    readVocabulary(visit),
    visit.call(listGrants, {}),
  ])
  const byId = new Map(grants.data.map(grant => [grant.grant_id, grant]))
  return { apps, vocabulary, grants: byId, shown: visit.shown }
}

/** What each grant contained, to keep. */
function receipts({ grant_ids }: Change, { grants, vocabulary }: Known): Html | '' {
  const links = grant_ids.flatMap(id => {
    const grant = grants.get(id)
    if (!grant) return []
    const href = `/apps/${encodeURIComponent(grant.client_id)}/${id}/receipt`
    return [{ href, source: joined(sourceNames(grant, vocabulary)) }]
  })
  const [first] = links
  if (!first) return ''
  if (links.length === 1) return html`<p class="small"><a href="${first.href}">Receipt</a></p>`
  return html`<details class="small"><summary>${counted(links.length, 'receipt')}</summary><ul class="plain">${links.map(
    ({ href, source }) => html`<li><a href="${href}">${source}</a></li>`,
  )}</ul></details>`
}

type AuditEvent = ReplyOf<typeof listAudit>['data'][number]

/** What was done at one time: several events if it concerned several sources. */
interface Change {
  /** The newest of its events. */
  event: AuditEvent
  /** Whether a grant was replaced by another one. */
  isReplacement: boolean
  grant_ids: string[]
}

/** Events of one kind that are closer together than this were one action. */
const GAP_MS = 60_000

/** The events, newest first, with those of one action together. */
function changesOf(events: readonly AuditEvent[]): Change[] {
  const changes: Change[] = []
  for (let at = 0; at < events.length; at++) {
    const event = events[at] as AuditEvent
    const replacement = replacementOf(event, events[at + 1])
    if (replacement) at += 1
    const { grant_id } = replacement ?? event
    const last = changes.at(-1)
    if (last && grant_id !== null && isSameAction(last, event, replacement !== null))
      last.grant_ids.push(grant_id)
    else
      changes.push({
        event,
        isReplacement: replacement !== null,
        grant_ids: grant_id === null ? [] : [grant_id],
      })
  }
  return changes
}

/** A grant that is replaced ends at the same time as its replacement is made. */
function replacementOf(event: AuditEvent, before: AuditEvent | undefined): AuditEvent | null {
  const isOne =
    event.event === 'grant_revoked' &&
    before?.event === 'grant_made' &&
    before.at === event.at &&
    before.client_id === event.client_id
  return isOne ? before : null
}

function isSameAction({ event, isReplacement }: Change, older: AuditEvent, isReplaced: boolean): boolean {
  return (
    event.event === older.event &&
    event.actor === older.actor &&
    event.client_id === older.client_id &&
    isReplacement === isReplaced &&
    Date.parse(event.at) - Date.parse(older.at) < GAP_MS
  )
}

const SIGNED_IN: Readonly<Record<string, string>> = {
  link: 'with a sign-in link',
  passphrase: 'with the passphrase',
  passkey: 'with a passkey',
}

const SETTINGS: Readonly<Record<string, (value: string) => string>> = {
  'time-zone': value => `You set the time zone to ${value.replaceAll('_', ' ')}`,
  'my-names': value => (value === '' ? 'You removed your names' : `You entered your names: ${value}`),
  'public-url': value => `You set the address to ${value}, from the next start`,
  'ledger-queries': value =>
    value === 'on'
      ? 'You let Activity show what apps search for'
      : 'You no longer let Activity show what apps search for',
}

const PLAIN: Readonly<Record<string, string>> = {
  sign_in_blocked: 'Signing in was blocked for a while',
  passphrase_set: 'You set the passphrase',
  passkey_added: 'You added a passkey',
  passkey_removed: 'You removed a passkey',
  signed_out: 'You signed out',
  session_ended: 'You signed out another browser',
  other_sessions_ended: 'You signed out all other browsers',
  signed_out_everywhere: 'You signed out everywhere',
}

interface Known {
  apps: ReadonlyMap<string, string>
  grants: ReadonlyMap<string, GrantWithTerms>
  vocabulary: Vocabulary
  /** A name or a text as the page shows it. */
  shown(text: string): string
}

/** A change as a sentence without its full stop. */
function changeWords(
  { event: { event, actor, client_id, detail }, isReplacement, grant_ids }: Change,
  known: Known,
): string {
  const grants = grant_ids.flatMap(id => known.grants.get(id) ?? [])
  const app = (client_id !== null && known.apps.get(client_id)) || grants[0]?.client_name || 'An app'
  const from =
    joined([...new Set(grants.flatMap(grant => sourceNames(grant, known.vocabulary)))]) || 'a source'
  if (isReplacement) return `You changed what ${app} may read of ${from}`
  switch (event) {
    case 'grant_made':
      return `You gave ${app} access to ${from}`
    case 'grant_revoked':
      if (actor === 'client') return `${app} gave up its access to ${from}`
      return `${actor === 'owner' ? 'You' : 'The server'} ended the access of ${app} to ${from}`
    case 'grant_consumed':
      return `${app} used its one-time access to ${from}`
    case 'consent_denied':
      return `You did not give ${detail === null ? app : known.shown(detail)} access`
    case 'refresh_reuse_detected':
      return `${app} used a replaced refresh token, so its access was ended`
    case 'signed_in':
      return `You signed in ${SIGNED_IN[detail ?? ''] ?? ''}`.trimEnd()
    case 'setting_changed':
      return settingWords(detail, known)
    default:
      return `${PLAIN[event] ?? humanName(event)}${detail ? ` (${known.shown(detail)})` : ''}`
  }
}

function settingWords(detail: string | null, { shown }: Known): string {
  const [, name = '', value = ''] = /^([\w-]+): (.*)$/s.exec(detail ?? '') ?? []
  return SETTINGS[name]?.(name === 'public-url' ? shown(value) : value) ?? 'You changed a setting'
}
