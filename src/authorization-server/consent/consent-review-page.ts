import { html } from 'hono/html'
import type { OfferedField, OfferedStream } from '../../model/access/consent.ts'
import type { GrantedStream } from '../../model/access/grant.ts'
import type { StreamDeclaration } from '../../model/declaration/declaration.ts'
import type { CodedError } from '../../model/errors.ts'
import { hidden, notice } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
import { counted, dayText } from '../../pages/words.ts'
import { type ConsentForm, dayOf, expiryOf } from './consent-form.ts'
import { consentResponse, fieldLabel, streamLabel, whoAsks } from './consent-parts.ts'
import type { Shared } from './consent-preview.ts'
import type { Asking } from './consent-request.ts'
import { exampleRecord } from './example-record.ts'

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
  return consentResponse(asking, title, body, changed?.status ?? 200)
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
  const day = (key: string) => dayText(dayOf(key))
  const single = record_ids ? `${counted(record_ids.length, 'single record')}. ` : ''
  if (!stream.consent_time_field) return `${single}All of them, also new ones; they have no dates.`
  if (since && until) return `${single}From ${day(since)} and before ${day(until)}.`
  if (since) return `${single}From ${day(since)}, also new ones.`
  if (until) return `${single}Before ${day(until)}.`
  return `${single}${record_ids ? 'Of any date.' : 'All of them, also new ones.'}`
}
