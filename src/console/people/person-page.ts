import { html } from 'hono/html'
import { joinPeople, separatePeople } from '../../api/owner/people.ts'
import { listByTime, type RecordBody } from '../../api/records.ts'
import { readSchema } from '../../api/streams.ts'
import { counted, number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { personOf } from '../../model/reading/people.ts'
import { hidden } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { listed } from '../../pages/words.ts'
import { personPath } from '../page-paths.ts'
import { recordRow } from '../record-row.ts'
import { goTo, orNull, type Visit } from '../visit.ts'
import { type Person, readPerson } from './people.ts'

const PAGE = 25

/** Everything that a person wrote or received, by time and source. */
export async function showPerson(visit: Visit): Promise<Response> {
  const person = await readPerson(visit, visit.path.person ?? '')
  const source = visit.query.get('source') ?? ''
  const [{ streams }, { records, until }] = await Promise.all([
    visit.call(readSchema, {}, { query: { view: 'compact' } }),
    recordsOf(visit, person, source),
  ])
  const labels = new Map(streams.map(({ stream, label }) => [stream, label]))
  const sources = new Map(
    streams.flatMap(({ connections }) => connections.map(each => [each.connection_id, each.display_name])),
  )
  const counts = new Map(person.connections.map(each => [each.connection_id, each.record_count]))
  const name = visit.shown(person.names[0] ?? person.person)
  const path = personPath(person.person)
  const own = [...sources].filter(([id]) => counts.get(id) !== 0)
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/people">People</a></p><h1 dir="auto">${name}</h1>
<p class="lede" dir="auto">${listed(person.members.map(visit.shown).filter(each => each !== name.toLowerCase()))}</p></header>
<nav class="tabs" aria-label="Which source"><a href="${path}" ${source === '' ? html`aria-current="true"` : ''}>Every source</a>${own.map(
    ([id, label]) =>
      html`<a href="${path}?${new URLSearchParams({ source: id }).toString()}" ${id === source ? html`aria-current="true"` : ''}>${label}${countText(counts.get(id) ?? null)}</a>`,
  )}</nav>
${records.length === 0 ? html`<p class="card soft">No record names this person.</p>` : html`<ol class="rows card">${records.map(record => recordRow(record, visit.times, [record.display_name, labels.get(record.stream) ?? record.stream]))}</ol>`}
${until === null ? '' : html`<p><a class="button" href="${path}?${new URLSearchParams({ ...(source === '' ? {} : { source }), until }).toString()}">Earlier</a></p>`}
${nameForm(visit, person, name)}
${sameForm(visit, person)}</div>`
  return pageResponse({ title: name.slice(0, 80), body, section: 'people' })
}

function countText(count: number | null): string {
  return count === null ? '' : ` (${number(count)})`
}

/**
 * The next records by time, for all addresses and names of the person together. A page ends at an instant, so that no
 * record is left out or shown twice.
 */
async function recordsOf(
  visit: Visit,
  { members }: Person,
  source: string,
): Promise<{ records: RecordBody[]; until: string | null }> {
  const until = visit.query.get('until')
  const narrowed = { ...(source === '' ? {} : { connection_id: source }), ...(until ? { until } : {}) }
  const pages = await Promise.all(
    members.map(async person => {
      const query = { person, ...narrowed, limit: PAGE, max_field_chars: 200 }
      return orNull(visit.call(listByTime, {}, { query }))
    }),
  )
  const timeOf = ({ occurred_at }: RecordBody) => Date.parse(occurred_at ?? '') || 0
  const all = new Map(
    pages
      .flatMap(page => page?.data ?? [])
      .map(each => [`${each.connection_id} ${each.stream} ${each.id}`, each]),
  )
  const records = [...all.values()].sort((a, b) => timeOf(b) - timeOf(a))
  const oldest = pages.flatMap(page => {
    const last = page?.next_cursor === undefined ? undefined : page.data.at(-1)
    return last ? [timeOf(last)] : []
  })
  if (oldest.length === 0) return { records, until: null }
  const cut = Math.max(...oldest)
  const after = records.filter(record => timeOf(record) > cut)
  return after.length > 0
    ? { records: after, until: new Date(cut + 1).toISOString() }
    : { records, until: new Date(cut).toISOString() }
}

function nameForm(visit: Visit, person: Person, name: string): Html {
  return html`<section class="stack"><h2>What to call this person</h2>
<form class="ask" method="post" action="${personPath(person.person)}">${hidden([['csrf', visit.csrf]])}<input type="text" name="name" value="${name}" aria-label="What to call this person" maxlength="200" required><button type="submit">Save</button></form>
${person.members.length === 1 ? forgetForm(visit, person, 'Use the name in the records again') : ''}</section>`
}

function sameForm(visit: Visit, person: Person): Html {
  const count = person.members.length
  return html`<section class="stack"><h2>One person, several names?</h2>
<form class="stack-tight" method="post" action="${personPath(person.person)}">${hidden([['csrf', visit.csrf]])}
<p class="soft">Only you can join two names. This changes what these pages show you, never what apps get.</p>
<div class="ask"><input type="text" name="other" aria-label="Another name or address of this person" placeholder="Another name or address of this person" maxlength="500" required><button type="submit">It is the same</button></div></form>
${count > 1 ? forgetForm(visit, person, `Separate these ${counted(count, 'name')} again`) : ''}</section>`
}

/** Forgets what the owner said about a person. */
function forgetForm({ csrf }: Visit, { person: key, person_id }: Person, label: string): Html | '' {
  if (person_id === null) return ''
  return html`<form method="post" action="${personPath(key)}">${hidden([
    ['csrf', csrf],
    ['separate', person_id],
  ])}<button class="small" type="submit">${label}</button></form>`
}

/** Records what to call a person, and that two names are the same person or that they are not. */
export async function changePerson(visit: Visit, form: URLSearchParams): Promise<Response> {
  const { person: key = '' } = visit.path
  const person_id = form.get('separate')
  if (person_id !== null) {
    await visit.call(separatePeople, { person_id })
    return goTo(personPath(key))
  }
  const other = personOf(form.get('other') ?? '')
  const given = form.get('name')?.trim().slice(0, 200) ?? ''
  const one = await readPerson(visit, key)
  if (other === '' ? given === '' : one.members.includes(other))
    throw new CodedError('invalid_request', 'Give another name or address of this person.')
  const same = other === '' ? [one] : [one, await readPerson(visit, other)]
  const members = [...new Set(same.flatMap(each => each.members))]
  const name = given || one.names[0] || key
  await visit.call(joinPeople, {}, { json: { name, members } })
  for (const { person_id: before } of same)
    if (before !== null) await visit.call(separatePeople, { person_id: before })
  return goTo(personPath(members[0] ?? key))
}
