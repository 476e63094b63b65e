import { html } from 'hono/html'
import { CHOOSE_FIELDS, type OfferedField, type OfferedStream, SHARE_NOTHING } from '../model/consent.ts'
import type { StreamDeclaration } from '../model/declaration.ts'
import type { CodedError } from '../model/errors.ts'
import type { GrantedStream } from '../model/grant.ts'
import { hidden, notice, radios, ticks } from '../pages/forms.ts'
import { type Html, pageHeaders, pageResponse } from '../pages/layout.ts'
import { counted, dayText, humanName, listed } from '../pages/words.ts'
import type { ClientCard } from './client-card.ts'
import type { Asking } from './consent.ts'
import { type ConsentForm, expiryOf, LIFETIMES } from './consent-form.ts'
import type { Shared } from './consent-preview.ts'
import { exampleRecord } from './example-record.ts'

function respond(asking: Asking, title: string, body: Html, status: number): Promise<Response> {
  const { formTarget } = asking.card
  const headers = pageHeaders(formTarget ? [formTarget] : [])
  return pageResponse({ title, body, signedIn: true }, { status, headers })
}

/** Where the owner chooses what to share. */
export function choicePage(
  asking: Asking,
  form: ConsentForm,
  previews: readonly Shared[],
  problem?: CodedError,
): Promise<Response> {
  const { card, offered, session } = asking
  const title = `${card.name} wants to read your data`
  const sources = [...Map.groupBy(offered, each => each.connection.connection_id).values()]
  const preview = ({ connection, stream }: OfferedStream) =>
    previews.find(
      ({ granted }) => granted.connection_id === connection.connection_id && granted.stream === stream.name,
    )
  const nothing = html`<div class="card stack"><h2>There is nothing to share yet</h2>
<p>${
    asking.asked
      ? 'The app asks for data that you do not have here.'
      : 'Import something first, then connect the app again.'
  }</p></div>`
  const choices = html`<h2>What may it read?</h2>
${sources.map(source => sourceCard(source, form, preview))}
${limits(asking, form)}`
  const body = html`<div class="stack"><h1>${title}</h1>
${problem ? notice('warn', problem.message) : ''}
<div class="split"><aside>${whoAsks(asking)}</aside>
<form class="stack" method="post">
${hidden([['csrf', session.csrf]])}
${offered.length === 0 ? nothing : choices}
<div class="actions dock">
${offered.length === 0 ? '' : html`<button class="primary" type="submit" name="action" value="review">Review</button>`}
<button type="submit" name="action" value="deny" formnovalidate>Don’t allow</button>
</div></form></div></div>`
  return respond(asking, title, body, problem?.status ?? 200)
}

function sourceCard(
  streams: readonly OfferedStream[],
  form: ConsentForm,
  preview: (stream: OfferedStream) => Shared | undefined,
): Html {
  const [first] = streams
  if (!first) return html``
  const { display_name, declaration } = first.connection
  const isFilled = (stream: OfferedStream) => (preview(stream)?.count ?? 0) > 0
  const empty = streams.filter(stream => !isFilled(stream))
  const isChosen = ({ key }: OfferedStream) => (form.choice.sets.get(key) ?? SHARE_NOTHING) !== SHARE_NOTHING
  return html`<section class="card" aria-label="${display_name}">
<div class="head"><h2>${display_name}</h2><span class="soft small">${declaration.display_name}</span></div>
${streams.filter(isFilled).map(stream => streamChoice(stream, form, preview(stream)))}
${
  empty.length > 0
    ? html`<details class="source" ${empty.some(isChosen) ? 'open' : ''}><summary>${counted(empty.length, 'kind')} without records</summary>
${empty.map(stream => streamChoice(stream, form, preview(stream)))}</details>`
    : ''
}
</section>`
}

function streamChoice(offered: OfferedStream, { choice }: ConsentForm, preview?: Shared): Html {
  const { key, stream, sets, fields } = offered
  const chosen = choice.sets.get(key) ?? SHARE_NOTHING
  const label = (name: string) => fieldLabel(stream, name)
  const sensitive = new Set(fields.filter(field => field.sensitive).map(field => field.name))
  const hint = (names: string[]) => {
    const marked = names.filter(name => sensitive.has(name)).map(label)
    return listed(names.map(label)) + (marked.length > 0 ? `. Sensitive: ${listed(marked)}` : '')
  }
  const options = [
    { value: SHARE_NOTHING, label: 'Don’t share' },
    ...sets.map(set => ({ value: set.id, label: set.label, hint: hint(set.fields) })),
    ...(stream.selection?.fields === false || fields.length < 2
      ? []
      : [{ value: CHOOSE_FIELDS, label: 'Fields that I tick', hint: 'One by one' }]),
  ]
  const ticked = choice.fields.get(key) ?? []
  const boxes = fields.map(({ name, sensitive }) => ({
    value: name,
    label: label(name),
    checked: ticked.includes(name),
    ...(sensitive ? { badge: 'sensitive' } : {}),
  }))
  const canPick = options.some(option => option.value === CHOOSE_FIELDS)
  return html`<div class="source"><fieldset class="stack-tight">
<legend>${streamLabel(stream)}</legend>
<p class="head"><span class="hint">${stream.display?.detail ?? ''}${boundsNote(offered)}</span>
<span class="count">${preview ? counted(preview.count, 'record') : ''}</span></p>
${radios(`share:${key}`, options, chosen)}
${canPick ? ticks(`field:${key}`, boxes) : ''}
${
  preview?.example
    ? html`<details><summary>Show an example</summary>${exampleRecord(stream, preview.example, 'Your newest one, with every field')}</details>`
    : ''
}
</fieldset></div>`
}

function boundsNote({ record_ids, hasTimes }: OfferedStream): string {
  if (record_ids) return ` It asks for ${counted(record_ids.length, 'single record')} only.`
  return hasTimes ? '' : ' These have no dates, so the time limit below does not apply to them.'
}

function limits({ asked }: Asking, { range, choice, lifetime }: ConsentForm): Html {
  const day = (key: string | null) => key?.slice(1, 11) ?? ''
  const lifetimes = asked?.single_use ? LIFETIMES.filter(({ id }) => id === 'once') : LIFETIMES
  const ranges = [
    { value: '30d', label: 'The last 30 days', hint: 'And what is new' },
    { value: '12m', label: 'The last 12 months', hint: 'And what is new' },
    { value: 'all', label: asked ? 'All it asks for' : 'Any time', hint: 'And what is new' },
    { value: 'custom', label: 'Between two days', hint: 'Give one or both below' },
  ]
  const custom = range === 'custom'
  return html`<div class="card stack">
<fieldset><legend>From which time?</legend>${radios('range', ranges, range)}
<div class="pair">
<div><label class="line" for="since">From</label><input type="date" id="since" name="since" value="${custom ? day(choice.since) : ''}"></div>
<div><label class="line" for="until">Before</label><input type="date" id="until" name="until" value="${custom ? day(choice.until) : ''}"></div>
</div></fieldset>
<div class="stack-tight"><label class="line" for="lifetime">For how long may it read?</label>
<select id="lifetime" name="lifetime">${lifetimes.map(
    ({ id, label }) => html`<option value="${id}" ${id === lifetime ? 'selected' : ''}>${label}</option>`,
  )}</select>
<p class="hint">You can end it at any time under Apps.</p></div>
</div>`
}

export interface Review {
  asking: Asking
  form: ConsentForm
  shared: readonly Shared[]
  /** The form's fields, to be sent again. */
  fields: readonly (readonly [string, string])[]
  /** The digest of what this page shows. */
  shown: string
  now: Date
}

/** Exactly what will be shared, and the button that allows it. */
export function reviewPage(
  { asking, form, shared, fields, shown, now }: Review,
  changed?: CodedError,
): Promise<Response> {
  const { card, session } = asking
  const title = `Let ${card.name} read this?`
  const total = shared.reduce((sum, { count }) => sum + count, 0)
  const sources = [...Map.groupBy(shared, ({ granted }) => granted.connection_id).values()]
  const expires = expiryOf(form.lifetime, now)
  const until =
    form.lifetime === 'once'
      ? 'It ends ten minutes after the first read.'
      : expires
        ? `It ends on ${dayText(expires)}.`
        : 'It goes on until you end it.'
  const body = html`<div class="stack"><h1>${title}</h1>
${changed ? notice('warn', changed.message) : ''}
<div class="split"><aside>${whoAsks(asking)}</aside>
<form class="stack" method="post">
${hidden([['csrf', session.csrf], ['shown', shown], ...fields])}
<p class="notice">${card.name} will be able to read <strong>${counted(total, 'record')}</strong> from
<strong>${counted(sources.length, 'source')}</strong>, and nothing else. It cannot change anything. ${until}</p>
${sources.map(source => reviewedSource(source, asking.offered))}
<div class="actions dock">
<button class="primary" type="submit" name="action" value="approve">Allow</button>
<button type="submit" name="action" value="change">Change</button>
<button type="submit" name="action" value="deny">Don’t allow</button>
</div>
<p class="hint">What an app has read it may keep. You can end its access at any time under Apps.</p>
</form></div></div>`
  return respond(asking, title, body, changed?.status ?? 200)
}

function reviewedSource(shared: readonly Shared[], offered: readonly OfferedStream[]): Html {
  const streamsOf = ({ granted }: Shared) =>
    offered.find(
      ({ connection, stream }) =>
        connection.connection_id === granted.connection_id && stream.name === granted.stream,
    )
  const [first] = shared
  const connection = first && streamsOf(first)?.connection
  return html`<section class="card" aria-label="${connection?.display_name ?? ''}">
<div class="head"><h2>${connection?.display_name ?? ''}</h2><span class="soft small">${connection?.declaration.display_name ?? ''}</span></div>
${shared.map(each => {
  const stream = streamsOf(each)?.stream
  return stream ? reviewedStream(stream, each, streamsOf(each)?.fields ?? []) : ''
})}</section>`
}

function reviewedStream(
  stream: StreamDeclaration,
  { granted, count, example }: Shared,
  fields: readonly OfferedField[],
): Html {
  const isSensitive = (name: string) => fields.some(field => field.name === name && field.sensitive)
  const caption = `For example, this is the newest ${granted.record_ids ? 'of them' : 'one'} as the app will see it`
  return html`<div class="source stack-tight">
<div class="head"><h3>${streamLabel(stream)}</h3><span class="count">${counted(count, 'record')}</span></div>
<p class="hint">${timeText(stream, granted)}</p>
<p>${granted.fields.map(
    (name, index) =>
      html`${index > 0 ? ', ' : ''}${fieldLabel(stream, name)}${isSensitive(name) ? html` <span class="badge warn">sensitive</span>` : ''}`,
  )}</p>
${example ? exampleRecord(stream, example, caption) : html`<p class="hint">There is none at the moment.</p>`}
</div>`
}

function timeText(stream: StreamDeclaration, { since, until, record_ids }: GrantedStream): string {
  const day = (key: string) => dayText(key.slice(1, 11))
  const single = record_ids ? `${counted(record_ids.length, 'single record')}. ` : ''
  if (!stream.consent_time_field) return `${single}All of them, also new ones; they have no dates.`
  if (since && until) return `${single}From ${day(since)} and before ${day(until)}.`
  if (since) return `${single}From ${day(since)}, also new ones.`
  if (until) return `${single}Before ${day(until)}.`
  return `${single}${record_ids ? 'Of any date.' : 'All of them, also new ones.'}`
}

function whoAsks({ card, asked, active }: Asking): Html {
  return html`<div class="card stack"><h2>Who asks</h2>
<dl class="facts">
<div><dt>App</dt><dd><strong>${card.name}</strong> ${verification(card)}</dd></div>
<div><dt>The answer goes to</dt><dd>${card.goesTo}</dd></div>
<div><dt>What for</dt><dd>${asked?.purpose ? html`“${asked.purpose}” <span class="hint">(its own words)</span>` : html`<span class="soft">It does not say.</span>`}</dd></div>
</dl>
<p class="hint">${
    card.verifiedHost
      ? `Published by ${card.verifiedHost}.`
      : 'The app chose this name itself. Nobody has checked it. Go on only if you have just started this in the app.'
  }</p>
${active > 0 ? html`<p class="hint">It can already read from ${counted(active, 'source')}; see <a href="/apps">Apps</a>. What you allow now comes on top.</p>` : ''}
</div>`
}

function verification({ verifiedHost }: ClientCard): Html {
  return verifiedHost
    ? html`<span class="badge good">${verifiedHost}</span>`
    : html`<span class="badge warn">not verified</span>`
}

function streamLabel(stream: StreamDeclaration): string {
  return stream.display?.label ?? humanName(stream.name)
}

export function fieldLabel(stream: StreamDeclaration, name: string): string {
  const title = stream.schema.properties[name]?.title
  return typeof title === 'string' && title !== '' ? title : humanName(name)
}
