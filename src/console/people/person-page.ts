import { html } from 'hono/html'
import { joinPeople, separatePeople } from '../../api/owner/people.ts'
import { listByTime, type RecordBody } from '../../api/records.ts'
import { counted, number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { personOf } from '../../model/reading/people.ts'
import { inWaves } from '../../pages/in-waves.ts'
import { pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { listed } from '../../pages/words.ts'
import { personPath } from '../page-paths.ts'
import { recordRow } from '../record-row.ts'
import { goTo, orNull, type Visit } from '../visit.ts'
import { kindBeside, readVocabulary } from '../vocabulary.ts'
import { calledOf, namesakesOf, type Person, readPerson } from './people.ts'
import { nameForm, ownForm, sameForm } from './person-forms.ts'

const PAGE = 25

/** Everything that a person wrote or received, by time and source. */
export async function showPerson(visit: Visit): Promise<Response> {
  const person = await readPerson(visit, visit.path.person ?? '')
  const source = visit.query.get('source') ?? ''
  const [vocabulary, { records, until }, namesakes] = await Promise.all([
    readVocabulary(visit),
    recordsOf(visit, person, source),
    namesakesOf(visit, person),
  ])
  const counts = new Map(person.connections.map(each => [each.connection_id, each.record_count]))
  const { name: plainName, others } = calledOf(person)
  const name = visit.shown(plainName)
  const path = personPath(person.person)
  const own = [...vocabulary.sources].filter(([id]) => counts.get(id) !== 0)
  const isThem = (author: string) => person.members.includes(personOf(author))
  const isFirst = source === '' && !visit.query.has('until')
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/people">People</a></p><h1 dir="auto">${name}</h1>
<p class="lede" dir="auto">${listed(others.map(visit.shown))}</p>
<p class="soft">${factsOf(person, isFirst ? records[0] : undefined, visit.times)}</p></header>
<nav class="tabs" aria-label="Which source"><a href="${path}" ${source === '' ? html`aria-current="true"` : ''}>Every source</a>${own.map(
    ([id, label]) =>
      html`<a href="${path}?${new URLSearchParams({ source: id }).toString()}" ${id === source ? html`aria-current="true"` : ''}>${label}${countText(counts.get(id) ?? null)}</a>`,
  )}</nav>
${records.length === 0 ? html`<p class="card soft">No record names this person.</p>` : html`<ol class="rows card">${records.map(record => recordRow(record, visit.times, source === '' && own.length > 1 ? [record.display_name, kindBeside(vocabulary, record.connection_id, record.stream)] : [], isThem))}</ol>`}
${until === null ? '' : html`<p><a class="button" href="${path}?${new URLSearchParams({ ...(source === '' ? {} : { source }), until }).toString()}">Earlier</a></p>`}
${nameForm(visit, person, name)}
${sameForm(visit, person, namesakes)}
${ownForm(visit, person)}</div>`
  return pageResponse({ title: name.slice(0, 80), body, section: 'people' })
}

/** How much the person wrote, and when the person last wrote or was written to. */
function factsOf({ wrote }: Person, newest: RecordBody | undefined, times: Times): string {
  const at = newest?.occurred_at
  return [
    wrote === 0 ? 'Wrote no record.' : `Wrote ${counted(wrote, 'record')}.`,
    ...(at ? [`Newest record: ${times.day(at)}.`] : []),
  ].join(' ')
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
  const pages = await inWaves(members, person => {
    const query = { person, ...narrowed, limit: PAGE, max_field_chars: 200 }
    return orNull(visit.call(listByTime, {}, { query }))
  })
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
