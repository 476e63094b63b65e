import { html } from 'hono/html'
import type { Offer } from '../../model/access/consent.ts'
import type { GrantedStream } from '../../model/access/grant.ts'
import { AI_TRAINING } from '../../model/access/purpose.ts'
import { counted } from '../../model/amounts.ts'
import { readingOrder, type StreamDeclaration } from '../../model/declaration/declaration.ts'
import type { CodedError } from '../../model/errors.ts'
import type { Html } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { idsLast, joined, listed } from '../../pages/words.ts'
import { type ConsentForm, expiryOf } from './consent-form.ts'
import {
  claimsCard,
  consentPage,
  exampleOf,
  fieldLabel,
  policyCard,
  publisherNote,
  streamLabel,
} from './consent-parts.ts'
import type { Asking } from './consent-request.ts'
import type { Shared } from './consent-shared.ts'

/** A detail of the request and what was chosen for it. */
export interface ReviewedOffer {
  no: number
  offer: Offer
  shared: readonly Shared[]
}

export interface Review {
  asking: Asking
  form: ConsentForm
  offers: readonly ReviewedOffer[]
  /** The form's fields, to be submitted again. */
  fields: readonly (readonly [string, string])[]
  /** The digest of what this page shows. */
  shown: string
  times: Times
}

/** Exactly what will be shared, and the button that allows it. */
export function reviewPage(
  { asking, form, offers, fields, shown, times }: Review,
  problem?: CodedError,
): Promise<Response> {
  const { card } = asking
  const title = `Let ${card.name} read this?`
  const shared = offers.flatMap(offer => offer.shared)
  const total = shared.reduce((sum, { count }) => sum + count, 0)
  const sources = new Map(
    shared.flatMap(({ offered }) => offered.connections.map(each => [each.connection_id, each.display_name])),
  )
  const isOpen = shared.some(({ granted }) => !granted.resources && !granted.time_constraint?.until)
  const names = joined([...sources.values()])
  const from = sources.size > MOST_NAMED ? counted(sources.size, 'source') : names
  const expires = expiryOf(form.lifetime, times.now)
  const content = html`<p class="notice">${card.name} will be able to read <strong>${counted(total, 'record')}</strong> from
<strong>${counted(sources.size, 'source')}</strong> (${names})${isOpen ? ', also what is added to them later' : ''}, and nothing else. It cannot change anything.
${expires ? `This ends on ${times.day(expires)}.` : 'This lasts until you remove it.'}</p>
${offers.map(offer => reviewedOffer(asking, offer, form, { times, isLong: shared.length > MOST_OPEN }))}
<p class="hint">You can remove its access at any time under Apps. That does not take back what it has read.</p>`
  const dock = html`<p class="small"><strong>${counted(total, 'record')} of ${from}${expires ? `, until ${times.day(expires)}` : ''}.</strong>
${card.name} may send what it reads to the company behind it, which may keep it.</p>
<div class="actions">
<button class="primary" type="submit" name="action" value="approve">Allow</button>
<button type="submit" name="action" value="change">Change</button>
<button type="submit" name="action" value="deny">Don’t allow</button>
</div>`
  return consentPage(asking, title, { fields: [['shown', shown], ...fields], content, dock }, problem)
}

/** Beside the button, more sources are counted: their names are said above. */
const MOST_NAMED = 2

/** How the kinds of records are told: the examples of many of them are collapsed. */
interface Telling {
  times: Times
  isLong: boolean
}

const MOST_OPEN = 3

function reviewedOffer(
  asking: Asking,
  { no, offer, shared }: ReviewedOffer,
  form: ConsentForm,
  telling: Telling,
): Html {
  const groups = [...Map.groupBy(shared, ({ granted }) => granted.instance_ids.join('+')).values()]
  const { request } = offer
  const mode =
    request?.access_mode === 'single_use'
      ? html`<p class="hint">It can do this once: the access cannot be renewed and ends within an hour of its start.</p>`
      : ''
  return html`${
    request
      ? html`<div class="card">${mode}${policyCard(request)}${
          request.purpose_code === AI_TRAINING ? trainingTick(no, form) : ''
        }${claimsCard(asking.card, request)}</div>`
      : ''
  }
${groups.map(group => reviewedSource(group, telling))}`
}

/** Training needs a separate action: this is never ticked in advance (PC-19). */
function trainingTick(no: number, form: ConsentForm): Html {
  return html`<p class="source"><label class="tick"><input type="checkbox" name="training" value="${no}" ${
    form.training.has(String(no)) ? 'checked' : ''
  }> I agree that this data is used to train AI models.</label></p>`
}

function reviewedSource(shared: readonly Shared[], telling: Telling): Html {
  const connections = shared[0]?.offered.connections ?? []
  const name = listed(connections.map(({ display_name }) => display_name))
  const told = (those: readonly Shared[]) => those.map(each => reviewedStream(each, telling))
  const plain = telling.isLong ? shared.filter(isPlain) : []
  if (plain.length === shared.length)
    return html`<section class="card folded" data-class="enforced" aria-label="${name}"><details><summary><strong>${name}</strong> <span class="soft small">${factsOf(plain)}</span></summary>
${told(plain)}</details></section>`
  const [open, folded] =
    plain.length > MOST_OPEN ? [shared.filter(each => !plain.includes(each)), plain] : [shared, []]
  return html`<section class="card" data-class="enforced" aria-label="${name}">
<div class="head"><h2>${name}</h2><span class="soft small">${connections[0]?.declaration.display.name ?? ''}</span></div>
${told(open)}
${folded.length === 0 ? '' : html`<details class="source"><summary><strong>${folded.length} other kinds</strong> <span class="soft small">${factsOf(folded)}</span></summary>${told(folded)}</details>`}</section>`
}

/** What is shared of kinds that are told in one line. */
function factsOf(plain: readonly Shared[]): string {
  const isBounded = plain.some(({ granted }) => granted.time_constraint || granted.resources)
  const count = plain.reduce((sum, each) => sum + each.count, 0)
  return [isBounded ? 'every field' : 'everything', counted(count, 'record')].join(' · ')
}

/** Whether all fields are shared and none is sensitive. Among many, a source of which that is true is told in one line. */
function isPlain({ offered, granted }: Shared): boolean {
  return isWhole(offered.stream, granted) && !hasSensitive(offered, granted.fields)
}

function isWhole({ schema }: StreamDeclaration, { fields }: GrantedStream): boolean {
  return fields.length === Object.keys(schema.properties).length
}

function hasSensitive({ fields }: Shared['offered'], names: readonly string[]): boolean {
  return fields.some(({ name, sensitive }) => sensitive && names.includes(name))
}

function reviewedStream({ offered, granted, count, example }: Shared, { times, isLong }: Telling): Html {
  const { stream, connections } = offered
  const newest = `the newest ${granted.resources ? 'of them' : 'one'} as the app will see it`
  const [account] = connections
  const shown = example && exampleOf(stream, example, `For example, this is ${newest}`, times)
  const fields = fieldList(offered, granted.fields)
  const isAll = isWhole(stream, granted)
  // All the fields of a kind that has many are collapsed, because the example shows them too; sensitive ones never are.
  const isCut = isAll && granted.fields.length > MOST_FIELDS && !hasSensitive(offered, granted.fields)
  const all = `All ${counted(granted.fields.length, 'field')}`
  return html`<div class="source stack-tight">
<div class="head"><h3>${streamLabel(stream)}</h3><span class="amount">${counted(count, 'record')}</span></div>
<p class="hint">${boundsText(stream, granted, times)}</p>
${isCut ? (isLong ? '' : html`<details><summary>${all}</summary>${fields}</details>`) : fields}
${account ? publisherNote(account.declaration, stream, isAll) : ''}
${shown ? '' : html`<p class="hint">There are none at the moment.</p>`}
${isLong && (isCut || shown) ? html`<details><summary>${isCut ? `${all}${shown ? `, and ${newest}` : ''}` : `See ${newest}`}</summary>${isCut ? fields : ''}${shown ?? ''}</details>` : isLong ? '' : (shown ?? '')}
</div>`
}

const MOST_FIELDS = 6

function fieldList({ stream, fields }: Shared['offered'], names: readonly string[]): Html {
  const isSensitive = (name: string) => fields.some(field => field.name === name && field.sensitive)
  const all = Object.keys(stream.schema.properties).length
  const first = [...readingOrder(stream)].filter(name => names.includes(name))
  const told = idsLast([...new Set([...first, ...names])], name => name)
  return html`<p>${names.length < all ? html`<strong>Only ${names.length} of ${counted(all, 'field')}:</strong> ` : ''}${told.map(
    (name, index) =>
      html`${index > 0 ? ', ' : ''}${fieldLabel(stream, name)}${isSensitive(name) ? html` <span class="badge warn">sensitive</span>` : ''}`,
  )}</p>`
}

/** The time bounds in words, naming the field they apply to (PC-24). */
function boundsText(
  stream: StreamDeclaration,
  { time_constraint, resources }: GrantedStream,
  times: Times,
): string {
  const single = resources ? `${counted(resources.length, 'single record')}. ` : ''
  if (!stream.consent_time_field) return `${single}All of them, including new ones; they have no dates.`
  if (!time_constraint) return `${single}${resources ? 'Of any date.' : 'All of them, including new ones.'}`
  const { field, since, until } = time_constraint
  const bounds = [since ? `on or after ${times.day(since)}` : '', until ? `before ${times.day(until)}` : '']
  const range = bounds.filter(bound => bound !== '').join(' and ')
  return `${single}Those whose “${fieldLabel(stream, field)}” is ${range}${until ? '' : ', including new ones'}.`
}
