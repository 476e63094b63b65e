import { html } from 'hono/html'
import { durationText, purposeText } from '../../model/access/purpose.ts'
import type { SelectionRequest } from '../../model/access/selection-request.ts'
import { counted } from '../../model/amounts.ts'
import {
  type Declaration,
  OWN_PUBLISHER,
  type StreamDeclaration,
} from '../../model/declaration/declaration.ts'
import type { CodedError } from '../../model/errors.ts'
import { isObject, isRawNumber, type Json, type JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageHeaders, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { humanName, idsLast } from '../../pages/words.ts'
import type { ClientCard } from './client-card.ts'
import type { Asking } from './consent-request.ts'

/** The form of a page about a request. It may redirect to the app. */
interface RequestForm {
  /** What happens next, below the title. */
  lede?: string
  fields?: readonly (readonly [string, string])[]
  /** What the Enter key does in a field, if it is not the first button of the page. */
  onEnter?: Html
  content: Html
  /** After the content on a phone, beside it on a wide screen. */
  limits?: Html
  /** The buttons that stay in sight. */
  dock: Html
}

export function consentPage(
  asking: Asking,
  title: string,
  form: RequestForm,
  problem?: CodedError,
): Promise<Response> {
  const { card, session } = asking
  const body = html`<div class="stack"><header class="stack-tight"><h1 dir="auto">${title}</h1>${form.lede ? html`<p class="lede">${form.lede}</p>` : ''}</header>
${problem ? notice('warn', problem.message) : ''}
<form method="post">
${hidden([['csrf', session.csrf], ...(form.fields ?? [])])}${form.onEnter ?? ''}
<div class="split"><aside>${whoAsks(asking)}</aside>
<div class="stack">${form.content}</div>
${form.limits ? html`<div class="limits">${form.limits}</div>` : ''}</div>
<div class="dock stack-tight">${form.dock}</div>
</form></div>`
  const headers = pageHeaders(card.formTarget ? [card.formTarget] : [])
  return pageResponse({ title, body }, { status: problem?.status ?? 200, headers })
}

function whoAsks({ card, active }: Asking): Html {
  return html`<div class="card stack" data-class="identity"><h2>Who is asking</h2>
<dl class="facts">
<div><dt>App</dt><dd><strong>${card.name}</strong> ${verification(card)}</dd></div>
<div><dt>The answer goes to</dt><dd>${card.goesTo}</dd></div>
${link('Privacy policy', card.policy_uri)}${link('Terms', card.tos_uri)}
</dl>
<p class="hint">${identityNote(card)}</p>
${active > 0 ? html`<p class="hint">It can already read from ${counted(active, 'source')}; see <a href="/apps">Apps</a>. What you allow now is added to that.</p>` : ''}
</div>`
}

function identityNote({ verifiedHost, isNamed, isLocal }: ClientCard): string {
  if (verifiedHost && !isLocal) return `Published by ${verifiedHost}.`
  const name = verifiedHost
    ? `The name is published by ${verifiedHost}, but any program on the device that gets the answer can use it.`
    : isNamed
      ? 'The app chose this name itself. Nobody has checked it.'
      : 'The app gave no name, so its id is shown.'
  return `${name} Continue only if you have just started this in the app.`
}

function link(label: string, url: string | null): Html {
  if (url === null) return html``
  return html`<div><dt>${label}</dt><dd>${url}</dd></div>`
}

function verification({ verifiedHost }: ClientCard): Html {
  return verifiedHost
    ? html`<span class="badge good">${verifiedHost}</span>`
    : html`<span class="badge warn">not verified</span>`
}

/** The app's stated policy. It is stored with the grant but cannot be enforced. */
export function policyCard(request: SelectionRequest): Html {
  const { purpose_code, purpose_description, retention } = request
  const kept = retention
    ? `To be ${retention.on_expiry === 'delete' ? 'deleted' : 'anonymized'} within ${durationText(retention.max_duration)}`
    : 'It sets no limit'
  return html`<section class="source stack-tight" data-class="policy"><h3>Purpose, and how long it keeps the data</h3>
<dl class="facts">
<div><dt>Purpose</dt><dd>${purposeText(purpose_code, purpose_description)}</dd></div>
<div><dt>What it has read</dt><dd>${kept}.</dd></div>
</dl>
<p class="hint">The app states this. Footnote keeps it with your decision but cannot enforce it.</p></section>`
}

/** What the app promises, in its own words and under its own name. */
export function claimsCard({ name }: ClientCard, { commitments }: SelectionRequest): Html {
  if (commitments.length === 0) return html``
  return html`<section class="source stack-tight" data-class="claims"><h3>${name} says</h3>
<ul>${commitments.map(commitment => html`<li>“${commitment}”</li>`)}</ul>
<p class="hint">Nobody has checked these promises.</p></section>`
}

/** What the publisher says of a stream. It speaks of all fields, also where only some are shared. */
export function publisherNote({ publisher }: Declaration, stream: StreamDeclaration, isAll = true): Html {
  const text = [stream.description, stream.display?.detail].filter(part => part !== undefined).join(' ')
  if (text === '') return html``
  const author = publisher.id === OWN_PUBLISHER ? 'Footnote' : publisher.id
  return html`<p class="hint" data-class="publisher">${text} <span class="soft">(description ${isAll ? '' : 'of all fields, '}by ${author})</span></p>`
}

export function streamLabel(stream: StreamDeclaration): string {
  return stream.display?.label ?? stream.description ?? humanName(stream.name)
}

/** A record as a client receives it. Long texts are cut only here, not for the client. */
export function exampleOf(stream: StreamDeclaration, data: JsonObject, caption: string, times: Times): Html {
  const fields = idsLast(Object.entries(data), ([name]) => name)
  return exampleRecord(
    fields.map(([name, value]) => [fieldLabel(stream, name), words(value, times)]),
    caption,
  )
}

export function fieldLabel(stream: StreamDeclaration, name: string): string {
  const title = stream.schema.properties[name]?.title
  return typeof title === 'string' && title !== '' ? title : humanName(name)
}

const VALUE_CHARS = 240
const NONE = '–'

/** A record as an example, field by field; those without a value are named together, and long texts are cut. */
function exampleRecord(fields: readonly (readonly [label: string, text: string])[], caption: string): Html {
  const told = fields.map(([label, text]) => ({ label, text: cutText(text, VALUE_CHARS) }))
  const empty = told.filter(({ text }) => text === NONE).map(({ label }) => label)
  return html`<figure class="example"><figcaption>${caption}</figcaption>
<dl>${told
    .filter(({ text }) => text !== NONE)
    .map(
      ({ label, text }) => html`<dt>${label}</dt><dd dir="auto">${text}</dd>`,
    )}${empty.length === 0 ? '' : html`<dt>Without a value</dt><dd class="soft">${empty.join(', ')}</dd>`}</dl></figure>`
}

/** A value as people read it: no brackets, and a dash for what is empty. */
function words(value: Json, times: Times): string {
  if (value === null || value === '') return NONE
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return times.told(value)
  if (isRawNumber(value)) return value.rawJSON
  if (Array.isArray(value))
    return value.length === 0
      ? NONE
      : value.map(item => words(item, times)).join(value.some(isObject) ? '\n' : ', ')
  if (!isObject(value)) return String(value)
  const members = Object.entries(value).map(([name, child]) => `${humanName(name)}: ${words(child, times)}`)
  return members.join(', ') || NONE
}
