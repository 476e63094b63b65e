import { html } from 'hono/html'
import {
  accountsOf,
  CHOOSE_FIELDS,
  EVERYTHING,
  type Offer,
  type OfferedStream,
  SHARE_NOTHING,
} from '../../model/access/consent.ts'
import { counted, number } from '../../model/amounts.ts'
import type { CodedError } from '../../model/errors.ts'
import { notice, radios, ticks } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined, listed } from '../../pages/words.ts'
import { type ConsentForm, dayOf, LIFETIMES } from './consent-form.ts'
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
import type { Preview, Previews } from './consent-shared.ts'

/** What the owner has, and how times are told. */
interface Telling {
  previews: Previews
  times: Times
}

/** The page on which the owner chooses what to share. */
export function choicePage(
  asking: Asking,
  form: ConsentForm,
  telling: Telling,
  problem?: CodedError,
): Promise<Response> {
  const { card, offers } = asking
  const title = `${card.name} wants to read your data`
  const isEmpty = offers.every(({ streams }) => streams.length === 0)
  const choices = html`${knownNotice(asking, form)}
<h2 id="sources">What may it read?</h2>
${allSources(asking, form)}
${offers.map(offer => offerChoices(asking, offer, form, telling))}`
  const dock = html`<div class="actions">
${isEmpty ? '' : html`<button class="primary" type="submit" name="action" value="review" formaction="#main">Review</button>`}
<button type="submit" name="action" value="deny" formnovalidate>Don’t allow</button>
</div>`
  const asked = isEmpty
    ? { content: nothingToShare(asking), dock }
    : {
        lede: NOTHING_YET,
        content: choices,
        limits: limits(asking, form, telling.times),
        onEnter: countOnEnter,
        dock,
      }
  return consentPage(asking, title, asked, problem)
}

const NOTHING_YET =
  'You see everything once more before anything is shared, and you can remove its access at any time.'

/** Says that the form is already filled in, and what it leaves out. */
function knownNotice({ card, had, active, offers }: Asking, { choice }: ConsentForm): Html {
  if (had.length === 0) return html``
  const names = new Set(had.flatMap(({ streams }) => streams.flatMap(({ instance_ids }) => instance_ids)))
  const all = offers.flatMap(({ streams }) => streams.flatMap(({ connections }) => connections))
  const added = new Set(all.filter(each => !names.has(each.connection_id)).map(each => each.display_name))
  const bounded = choice.since !== null || choice.until !== null
  return notice(
    'info',
    [
      `Filled in with what ${card.name} ${active > 0 ? 'can read now' : 'could read before'}.`,
      ...(added.size > 0
        ? [
            `It ${active > 0 ? 'cannot' : 'could not'} read these, so they are not chosen: ${joined([...added])}.`,
          ]
        : []),
      ...(bounded ? ['The time limit is filled in too.'] : []),
    ].join(' '),
  )
}

function nothingToShare({ offers }: Asking): Html {
  const asks = offers.some(({ request }) => request !== null)
  return html`<div class="card stack"><h2>There is nothing to share yet</h2>
<p>${asks ? 'The app asks for data that you do not have here.' : 'Nothing has been imported.'}
Import some in another tab, then reload this page. It stays valid for an hour.</p>
<p><a class="button primary" href="/import" target="_blank">Import files or a folder</a></p></div>`
}

/** The Enter key presses the first button of a form, in some browsers only if it is rendered. */
const countOnEnter = html`<button class="unseen" type="submit" name="action" value="count" formaction="#sources" tabindex="-1" aria-hidden="true">Update the counts</button>`

/** One choice for all sources. */
function allSources({ offers }: Asking, form: ConsentForm): Html {
  const streams = offers.flatMap(offer => (offer.request === null ? offer.streams : []))
  const groups = [...groupedByAccount(streams).values()]
  if (groups.length < 2) return html``
  const texts = groups.map(group => sharedText(group, form))
  const chosen = texts.filter(text => text !== null).length
  const isAll = texts.every(text => text === WHOLE)
  const all = counted(groups.length, 'source')
  const state = isAll
    ? `Everything from all ${all} is chosen.`
    : chosen === 0
      ? `Nothing is chosen yet.${groups.length > MOST_OPEN ? ' Open a source to share only some of it.' : ''}`
      : `Something from ${chosen} of ${all} is chosen.`
  const button = (value: string, label: string) =>
    html`<button class="small" type="submit" name="action" value="${value}" formaction="#sources">${label}</button>`
  return html`<div class="card head"><p>${state}</p><div class="actions">
${isAll ? '' : button('all', `Share everything from all ${all}`)}
${chosen === 0 ? '' : button('none', 'Share nothing')}</div></div>`
}

function groupedByAccount(streams: readonly OfferedStream[]): Map<string, OfferedStream[]> {
  return Map.groupBy(streams, ({ connections }) => accountsOf(connections))
}

function offerChoices(asking: Asking, offer: Offer, form: ConsentForm, telling: Telling): Html {
  const { request, streams, missing } = offer
  const groups = [...groupedByAccount(streams).values()]
  const isOnly = groups.length === 1
  const isFolded = groups.length > MOST_OPEN
  const cards = groups.map(group =>
    sourceCard(group, form, telling, { isFree: request === null, isOnly, isFolded }),
  )
  if (request === null) return html`${cards}`
  const isChoice = streams.some(
    ({ key }, index) => streams.findIndex(other => nameOf(other.key) === nameOf(key)) !== index,
  )
  return html`<div class="stack">
<div class="card">${policyCard(request)}${claimsCard(asking.card, request)}</div>
${missing.length > 0 ? notice('warn', `You have no account here that has ${listed(missing)}, which the app requires. This part of the request cannot be allowed.`) : ''}
${isChoice ? notice('info', 'Several of your accounts fit this request. Choose the ones that the app may read.') : ''}
${cards}</div>`
}

/** The name of the stream in a key, without its account. */
function nameOf(key: string): string {
  return key.slice(key.lastIndexOf(':') + 1)
}

function sourceCard(
  streams: readonly OfferedStream[],
  form: ConsentForm,
  telling: Telling,
  { isFree, isOnly, isFolded }: { isFree: boolean; isOnly: boolean; isFolded: boolean },
): Html {
  const [account] = streams[0]?.connections ?? []
  if (!account) return html``
  const name = listed(streams[0]?.connections.map(({ display_name }) => display_name) ?? [])
  const { previews, times } = telling
  const isFilled = ({ key }: OfferedStream) => (previews.get(key)?.count ?? 0) > 0
  const empty = streams.filter(stream => !isFilled(stream))
  const isChosen = ({ key }: OfferedStream) => (form.choice.sets.get(key) ?? SHARE_NOTHING) !== SHARE_NOTHING
  const choice = (stream: OfferedStream) => streamChoice(stream, form, times, previews.get(stream.key))
  const accounts = accountsOf(streams[0]?.connections ?? [])
  const bounded = form.choice.since !== null || form.choice.until !== null
  const button = (change: string, label: string, spoken: string, target = `in-${accounts}`) =>
    html`<button class="small" type="submit" name="action" value="${change}:${accounts}" formaction="#${target}" aria-label="${spoken}">${label}</button>`
  // A browser that goes to a place inside a collapsed source opens it.
  const buttons = html`<div class="actions" id="in-${accounts}">
${button('everything', 'Share everything from this source', `Share everything from this source: ${name}`)}
${isOnly ? '' : button('same', 'The same for all sources', `The same for all sources as for ${name}`)}</div>`
  const kinds = html`${streams.filter(isFilled).map(choice)}
${
  empty.length > 0
    ? html`<details class="source" ${empty.some(isChosen) ? 'open' : ''}><summary>${counted(empty.length, 'kind')} without records${bounded ? ' in this time' : ''}</summary>
${empty.map(choice)}</details>`
    : ''
}`
  const shared = sharedText(streams, form)
  const facts = [
    shared === WHOLE && !isFree ? 'all it asks for' : shared,
    countText(total(streams, previews)),
  ].filter(fact => fact !== null)
  const one =
    shared === null
      ? button(
          'everything',
          isFree ? 'Share all' : 'Share',
          `Share ${isFree ? 'all' : 'what it asks for'} of ${name}`,
          accounts,
        )
      : button('nothing', 'Share nothing', `Share nothing of ${name}`, accounts)
  if (isFolded)
    return html`<section class="card folded" id="${accounts}" aria-label="${name}"><details><summary><strong>${name}</strong> <span class="soft small">${facts.join(' · ')}</span></summary>
${isFree ? buttons : ''}${kinds}</details>
${one}</section>`
  return html`<section class="card" aria-label="${name}">
<div class="stack-tight"><div class="head"><h2>${name}</h2><span class="soft small">${account.declaration.display.name}</span></div>
${isFree ? buttons : ''}</div>
${kinds}
</section>`
}

/** With more sources than this, they are collapsed, so that all of them fit on the screen. */
const MOST_OPEN = 2

const WHOLE = 'everything'

/** What is chosen from a source; null if nothing is. */
function sharedText(streams: readonly OfferedStream[], { choice }: ConsentForm): string | null {
  const chosen = streams.filter(({ key }) => (choice.sets.get(key) ?? SHARE_NOTHING) !== SHARE_NOTHING)
  if (chosen.length === 0) return null
  const isWhole =
    chosen.length === streams.length && chosen.every(({ key }) => choice.sets.get(key) === EVERYTHING)
  if (isWhole) return WHOLE
  const [only] = streams.length === 1 ? streams : []
  return only ? partText(only, choice) : `${chosen.length} of ${counted(streams.length, 'kind')}`
}

function partText({ key, sets, fields }: OfferedStream, choice: ConsentForm['choice']): string {
  const set = sets.find(({ id }) => id === choice.sets.get(key))
  if (set) return set.label
  const picked = fields.filter(({ name, fixed }) => fixed || choice.fields.get(key)?.includes(name))
  return `${picked.length} of ${counted(fields.length, 'field')}`
}

function streamChoice(
  offered: OfferedStream,
  { choice }: ConsentForm,
  times: Times,
  preview?: Preview & { all: number },
): Html {
  const { key, connections, stream, sets, fields, necessity } = offered
  const chosen = choice.sets.get(key) ?? SHARE_NOTHING
  const label = (name: string) => fieldLabel(stream, name)
  const sensitive = new Set(fields.filter(field => field.sensitive).map(field => field.name))
  const hint = (names: string[]) => {
    const marked = names.filter(name => sensitive.has(name)).map(label)
    return listed(names.map(label)) + (marked.length > 0 ? `. Sensitive: ${listed(marked)}` : '')
  }
  const canPick = stream.selection.fields && fields.some(field => !field.fixed) && fields.length > 1
  const options = [
    { value: SHARE_NOTHING, label: 'Don’t share' },
    ...sets.map(set => ({ value: set.id, label: set.label, hint: hint(set.fields) })),
    ...(canPick ? [{ value: CHOOSE_FIELDS, label: 'Let me pick the fields', hint: 'One by one' }] : []),
  ]
  const ticked = choice.fields.get(key) ?? []
  const boxes = fields.map(({ name, sensitive, fixed }) => ({
    value: name,
    label: label(name),
    checked: fixed || ticked.includes(name),
    disabled: fixed,
    ...(sensitive ? { badge: 'sensitive' } : fixed ? { badge: 'always included' } : {}),
  }))
  const [account] = connections
  return html`<div class="source"><fieldset class="stack-tight">
<legend>${streamLabel(stream)}${necessity === 'optional' ? html` <span class="badge">optional</span>` : ''}</legend>
<p class="hint">${[...(preview ? [`${countText(preview)}.`] : []), boundsNote(offered)].join(' ')}</p>
${account ? publisherNote(account.declaration, stream) : ''}
${radios(`share:${key}`, options, chosen)}
${canPick ? ticks(`field:${key}`, boxes) : ''}
${
  preview?.example
    ? html`<details><summary>Show an example</summary>${exampleOf(stream, preview.example, 'Your newest one, with every field', times)}</details>`
    : ''
}
</fieldset></div>`
}

/** The records of a source, of every kind together. */
function total(streams: readonly OfferedStream[], previews: Previews): { count: number; all: number } {
  const known = streams.flatMap(({ key }) => previews.get(key) ?? [])
  return {
    count: known.reduce((sum, { count }) => sum + count, 0),
    all: known.reduce((sum, { all }) => sum + all, 0),
  }
}

/** How many records there are, and the total if the time range leaves some out. */
function countText({ count, all }: { count: number; all: number }): string {
  return count === all ? counted(count, 'record') : `${number(count)} of ${counted(all, 'record')}`
}

function boundsNote({ resources, hasTimes }: OfferedStream): string {
  if (resources) return `It asks for ${counted(resources.length, 'single record')} only.`
  return hasTimes ? '' : 'These have no dates, so the time limit does not apply to them.'
}

/** From which time the app may read records, and for how long it may. */
function limits({ offers }: Asking, { range, choice, lifetime }: ConsentForm, { zone }: Times): Html {
  const asks = offers.some(({ request }) => request !== null)
  const ranges = [
    { value: 'all', label: asks ? 'All it asks for' : 'Any time' },
    { value: '12m', label: 'A year' },
    { value: '30d', label: '30 days' },
    { value: 'custom', label: 'Pick days' },
  ]
  const custom = range === 'custom'
  return html`<div class="card stack">
<fieldset><legend>How far back?</legend>
<p class="hint">It can also read what is new, unless you name a last day.</p>${radios('range', ranges, range)}
<div class="pair dates">
<div><label class="line" for="since">From</label><input type="date" id="since" name="since" value="${custom ? dayOf(choice.since, zone) : ''}"></div>
<div><label class="line" for="until">Before</label><input type="date" id="until" name="until" value="${custom ? dayOf(choice.until, zone) : ''}"></div>
</div></fieldset>
<p><button class="small" type="submit" name="action" value="count" formaction="#sources">Update the counts</button></p>
<div class="stack-tight"><h3><label for="lifetime">For how long may it read?</label></h3>
<select id="lifetime" name="lifetime">${LIFETIMES.map(
    ({ id, label }) => html`<option value="${id}" ${id === lifetime ? 'selected' : ''}>${label}</option>`,
  )}</select></div>
</div>`
}
