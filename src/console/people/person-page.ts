import { html } from 'hono/html'
import { joinPeople, type NamedPerson, separatePeople } from '../../api/owner/people.ts'
import { listByTime, type RecordBody } from '../../api/records.ts'
import { counted, number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { ownNamesIn, personOf } from '../../model/reading/people.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { inWaves } from '../../pages/in-waves.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { listed } from '../../pages/words.ts'
import { doneNotice, goToTell } from '../done.ts'
import { personPath } from '../page-paths.ts'
import { recordRow } from '../record-row.ts'
import { orNull, type Visit } from '../visit.ts'
import { kindBeside, readVocabulary } from '../vocabulary.ts'
import { calledOf, namesakesOf, type Person, readPerson } from './people.ts'

const PAGE = 25

/** Everything that a person wrote or received, by time and source. */
export async function showPerson(visit: Visit, problem?: CodedError): Promise<Response> {
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
${doneNotice(visit)}
<nav class="tabs" aria-label="Which source"><a href="${path}" ${source === '' ? html`aria-current="true"` : ''}>Every source</a>${own.map(
    ([id, label]) =>
      html`<a href="${path}?${new URLSearchParams({ source: id }).toString()}" ${id === source ? html`aria-current="true"` : ''}>${label}${countText(counts.get(id) ?? null)}</a>`,
  )}</nav>
${records.length === 0 ? html`<p class="card soft">No record names this person.</p>` : html`<ol class="rows card">${records.map(record => recordRow(record, visit.times, source === '' && own.length > 1 ? [record.display_name, kindBeside(vocabulary, record.connection_id, record.stream)] : [], isThem))}</ol>`}
${until === null ? '' : html`<p><a class="button" href="${path}?${new URLSearchParams({ ...(source === '' ? {} : { source }), until }).toString()}">Earlier</a></p>`}
${nameForm(visit, person, name)}
${sameForm(visit, person, namesakes, problem)}
${ownForm(visit, person)}</div>`
  return pageResponse(
    { title: name.slice(0, 80), body, section: 'people' },
    { status: problem?.status ?? 200 },
  )
}

/** How much the person wrote, and when the person last wrote or was written to. */
function factsOf({ wrote }: Person, newest: RecordBody | undefined, times: Times): string {
  const at = newest?.occurred_at
  return [
    ...(wrote > 0 ? [`Wrote ${counted(wrote, 'record')}.`] : []),
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
    return goToTell(personPath(key), 'person-saved')
  }
  const other = personOf(form.get('other') ?? '')
  const given = form.get('name')?.trim().slice(0, 200) ?? ''
  const one = await readPerson(visit, key)
  const refuse = (message: string) => showPerson(visit, new CodedError('invalid_request', message))
  if (other === '' ? given === '' : one.members.includes(other))
    return refuse('Give another name or address of this person.')
  const same = other === '' ? [one] : [one, await readPerson(visit, other)]
  if (
    other !== '' &&
    same.some(({ connections }) => connections.every(({ record_count }) => record_count === 0))
  )
    return refuse('No record has this name or address. Check how it is spelled.')
  const members = [...new Set(same.flatMap(each => each.members))]
  const name = given || one.names[0] || key
  await visit.call(joinPeople, {}, { json: { name, members } })
  for (const { person_id: before } of same)
    if (before !== null) await visit.call(separatePeople, { person_id: before })
  return goToTell(personPath(members[0] ?? key), 'person-saved')
}

/** What the owner calls the person. */
function nameForm(visit: Visit, person: Person, name: string): Html {
  return html`<section class="stack"><h2>What to call this person</h2>
<form class="ask" method="post" action="${personPath(person.person)}">${hidden({ csrf: visit.csrf })}<input type="text" name="name" value="${name}" aria-label="What to call this person" maxlength="200" required><button type="submit">Save</button></form>
${person.members.length === 1 ? forgetForm(visit, person, 'Use the name in the records again') : ''}</section>`
}

/** Adds the names of the person to those of the owner. */
function ownForm({ env, csrf, isDemo }: Visit, { members }: Person): Html | '' {
  const setting = env.settings?.read().find(({ name }) => name === 'my-names')
  if (!setting || setting.fixed !== null || isDemo) return ''
  const own = ownNamesIn(setting.value) ?? []
  const known = new Set(own.map(name => name.toLowerCase()))
  // The order of the words of a name does not count, but commas separate names.
  const added = members.map(each => each.replaceAll(',', ' ')).filter(each => !known.has(each))
  if (added.length === 0)
    return html`<p class="soft">This is you: <code class="flag">from:me</code> finds it. <a href="/settings/server#my-names">Your names</a></p>`
  return html`<section class="stack"><h2>Is this you?</h2>
<p class="soft">Then <code class="flag">from:me</code> and <code class="flag">to:me</code> find these records, in your searches and in those of apps.</p>
<form method="post" action="/settings/server">${hidden({ csrf, name: setting.name, value: [...own, ...added].join(', ') })}<button type="submit">This is me</button></form></section>`
}

/** Joins names and addresses of one person; those with the same name are offered. */
function sameForm(
  visit: Visit,
  person: Person,
  namesakes: readonly NamedPerson[],
  problem: CodedError | undefined,
): Html {
  const count = person.members.length
  return html`<section class="stack"><h2>One person, several names?</h2>
<form class="stack-tight" method="post" action="${personPath(person.person)}">${hidden({ csrf: visit.csrf })}
<p class="soft">Only you can join two names. This changes what these pages show you, never what apps get.</p>
${problem ? notice('danger', problem.message) : ''}
<div class="ask"><input type="text" name="other" aria-label="Another name or address of this person" placeholder="Another name or address of this person" maxlength="500" required><button type="submit">It is the same</button></div></form>
${namesakes.length === 0 ? '' : html`<ul class="rows card">${namesakes.map(each => namesake(visit, person, each))}</ul>`}
${count > 1 ? forgetForm(visit, person, `Separate these ${counted(count, 'name')} again`) : ''}</section>`
}

/** Another person in the records with the same name. */
function namesake(
  { csrf, shown }: Visit,
  { person: key }: Person,
  { person: other, wrote }: NamedPerson,
): Html {
  return html`<li class="head"><span class="path" dir="auto"><a href="${personPath(other)}">${shown(other)}</a> <span class="soft small">${wrote === 0 ? '' : `wrote ${counted(wrote, 'record')}`}</span></span>
<form method="post" action="${personPath(key)}">${hidden({ csrf, other })}<button class="small" type="submit" aria-label="It is the same as ${shown(other)}">It is the same</button></form></li>`
}

/** Forgets what the owner said about a person. */
function forgetForm({ csrf }: Visit, { person: key, person_id }: Person, label: string): Html | '' {
  if (person_id === null) return ''
  return html`<form method="post" action="${personPath(key)}">${hidden({ csrf, separate: person_id })}<button class="small" type="submit">${label}</button></form>`
}
