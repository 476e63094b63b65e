import { html } from 'hono/html'
import { CHOOSE_FIELDS, type OfferedStream, SHARE_NOTHING } from '../../model/access/consent.ts'
import type { CodedError } from '../../model/errors.ts'
import { hidden, notice, radios, ticks } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
import { counted, listed } from '../../pages/words.ts'
import { type ConsentForm, dayOf, LIFETIMES } from './consent-form.ts'
import { consentResponse, fieldLabel, streamLabel, whoAsks } from './consent-parts.ts'
import type { Shared } from './consent-preview.ts'
import type { Asking } from './consent-request.ts'
import { exampleRecord } from './example-record.ts'

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
  return consentResponse(asking, title, body, problem?.status ?? 200)
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
<div><label class="line" for="since">From</label><input type="date" id="since" name="since" value="${custom ? dayOf(choice.since) : ''}"></div>
<div><label class="line" for="until">Before</label><input type="date" id="until" name="until" value="${custom ? dayOf(choice.until) : ''}"></div>
</div></fieldset>
<div class="stack-tight"><label class="line" for="lifetime">For how long may it read?</label>
<select id="lifetime" name="lifetime">${lifetimes.map(
    ({ id, label }) => html`<option value="${id}" ${id === lifetime ? 'selected' : ''}>${label}</option>`,
  )}</select>
<p class="hint">You can end it at any time under Apps.</p></div>
</div>`
}
