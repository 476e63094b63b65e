import { html } from 'hono/html'
import { readAlerts, setAlerts } from '../../api/owner/activity.ts'
import type { ReplyOf } from '../../api/route.ts'
import { counted } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
import { readClients } from '../app-names.ts'
import { type Disclosure, disclosuresOf, summed } from '../apps/app-reads.ts'
import { goToTell } from '../done.ts'
import { goTo, type Visit } from '../visit.ts'
import { readVocabulary } from '../vocabulary.ts'

type Alerts = ReplyOf<typeof readAlerts>

/** The most requests that are examined since the owner last looked. */
const MOST_REQUESTS = 500
/** Pairs that are remembered; a pair that is forgotten is reported again. */
const MOST_KNOWN = 1_000

/** The events that the owner wants to be alerted to, in words. */
export async function raisedAlerts(visit: Visit): Promise<string[]> {
  const alerts = await visit.call(readAlerts, {})
  const { first_read, new_app, records_per_hour, known, seen_until } = alerts
  if (!first_read && !new_app && records_per_hour === null) return []
  const [{ disclosures }, clients, { sources }] = await Promise.all([
    disclosuresOf(visit, { since: seen_until, most: MOST_REQUESTS }),
    readClients(visit),
    readVocabulary(visit),
  ])
  const names = new Map(clients.map(({ client_id, name }) => [client_id, name]))
  const nameOf = (id: string) => names.get(id) ?? id
  const fresh = first_read ? pairsIn(disclosures).filter(pair => !known.includes(pair)) : []
  return [
    ...(new_app ? clients.filter(({ created_at }) => created_at > seen_until) : []).map(
      ({ name }) => `${name} was connected.`,
    ),
    ...fresh.map(pair => {
      const [client_id = '', connection_id = ''] = pair.split(' ')
      return `${nameOf(client_id)} read ${sources.get(connection_id) ?? 'a removed source'} for the first time.`
    }),
    ...(records_per_hour === null ? [] : busyHours(disclosures, records_per_hour)).map(
      ({ client_id, hour, records }) =>
        `${nameOf(client_id)} was shown ${counted(records, 'record')} in the hour from ${visit.times.at(hour)}.`,
    ),
  ]
}

function pairsIn(disclosures: readonly Disclosure[]): string[] {
  const pairs = disclosures.flatMap(({ client_id, shown }) =>
    shown.map(({ connection_id }) => `${client_id} ${connection_id}`),
  )
  return [...new Set(pairs)].reverse()
}

function busyHours(disclosures: readonly Disclosure[], most: number) {
  const byHour = Map.groupBy(disclosures, ({ client_id, at }) => `${client_id} ${at.slice(0, 13)}`)
  return [...byHour.values()].flatMap(own => {
    const { records } = summed(own)
    const [first] = own
    return first && records > most
      ? [{ client_id: first.client_id, hour: `${first.at.slice(0, 13)}:00:00.001Z`, records }]
      : []
  })
}

/** Changes the alerts. What is known now is not reported again. */
export async function changeAlerts(visit: Visit, form: URLSearchParams): Promise<Response> {
  const alerts = await visit.call(readAlerts, {})
  const { disclosures } = await disclosuresOf(visit, { most: MOST_REQUESTS })
  const known = [...new Set([...pairsIn(disclosures), ...alerts.known])].slice(0, MOST_KNOWN)
  const seen = { known, seen_until: visit.now.toISOString() }
  const isSeen = form.get('action') === 'seen'
  const settings = isSeen ? toldBefore(alerts) : chosen(form)
  await visit.call(setAlerts, {}, { json: { ...settings, ...seen } })
  return isSeen ? goTo('/activity') : goToTell('/activity', 'alerts-saved')
}

function toldBefore({ first_read, new_app, records_per_hour }: Alerts) {
  return { first_read, new_app, records_per_hour }
}

function chosen(form: URLSearchParams) {
  const text = form.get('records_per_hour')?.trim() ?? ''
  const records_per_hour = text === '' ? null : Number(text)
  if (records_per_hour !== null && !(Number.isInteger(records_per_hour) && records_per_hour > 0))
    throw new CodedError('invalid_request', 'Give a number of records, or leave the field empty.')
  return { first_read: form.has('first_read'), new_app: form.has('new_app'), records_per_hour }
}

/** The alerts that were raised, with the button that dismisses them. */
export function alertNotice({ csrf }: Visit, raised: readonly string[]): Html | '' {
  if (raised.length === 0) return ''
  return html`<section class="notice warn stack-tight" aria-label="Alerts"><ul class="plain stack-tight">${raised.map(each => html`<li>${each}</li>`)}</ul>
<form method="post" action="/activity/alerts">${hidden({ csrf, action: 'seen' })}<button class="small" type="submit">I have seen this</button></form></section>`
}

export async function alertForm(visit: Visit): Promise<Html> {
  const { first_read, new_app, records_per_hour } = await visit.call(readAlerts, {})
  const tick = (name: string, label: string, on: boolean) =>
    html`<label><input type="checkbox" name="${name}" value="yes" ${on ? 'checked' : ''}> ${label}</label>`
  return html`<details class="card"><summary>Tell me when …</summary><form class="stack" method="post" action="/activity/alerts">${hidden({ csrf: visit.csrf })}
<div class="stack-tight ticked">${tick('new_app', 'a new app is connected', new_app)}${tick('first_read', 'an app reads a source for the first time', first_read)}
<label>an app is shown more records in an hour than <input type="text" inputmode="numeric" pattern="\s*[1-9][0-9]*\s*" title="A number of records" name="records_per_hour" value="${records_per_hour ?? ''}" maxlength="7"></label></div>
<p class="soft small">You are told on Home and here.</p><button type="submit">Save</button></form></details>`
}
