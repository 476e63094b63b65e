import { html } from 'hono/html'
import { readRecord } from '../../api/records.ts'
import { citationUrl } from '../../model/ids/citation.ts'
import { inOneLine } from '../../pages/facts.ts'
import type { Html } from '../../pages/layout.ts'
import type { Disclosure } from '../apps/app-reads.ts'
import { authorName } from '../author-name.ts'
import { recordTitle } from '../record-row.ts'
import { orNull, type Visit } from '../visit.ts'

const TITLE_CHARS = 200
const MOST_TITLES = 3
/** Records that are looked at to find as many different titles. */
const MOST_READ = 6

interface RecordName {
  connection_id: string
  stream: string
  record_id: string
}

/** A record as a link with its title, then who and when: the messages of a conversation have one title. */
export async function recordLink(visit: Visit, name: RecordName): Promise<Html> {
  const record = await readNamed(visit, name)
  if (!record) return linkTo(name, name.record_id)
  const { author, occurred_at } = record
  const facts = [author && authorName(author), occurred_at && visit.times.minute(occurred_at)]
  return linkTo(name, recordTitle(record), inOneLine(facts.flatMap(fact => fact || [])))
}

function linkTo(name: RecordName, title: string, facts: Html | '' = ''): Html {
  return html`<li class="entry"><p dir="auto"><a href="${citationUrl('', name)}">${title}</a></p>${facts === '' ? '' : html`<p class="soft small">${facts}</p>`}</li>`
}

function readNamed(visit: Visit, { connection_id, stream, record_id }: RecordName) {
  const query = { connection_id, max_field_chars: TITLE_CHARS }
  return orNull(visit.call(readRecord, { stream, record_id }, { query }))
}

async function titleOf(visit: Visit, name: RecordName): Promise<string> {
  const record = await readNamed(visit, name)
  return record ? recordTitle(record) : name.record_id
}

/** The records that some requests showed most often, as links; of several with one title, the first. */
export async function mostShown(visit: Visit, requests: readonly Disclosure[]): Promise<Html | ''> {
  const names = requests.flatMap(({ shown }) =>
    shown.flatMap(({ connection_id, stream, record_ids }) =>
      record_ids.map(record_id => ({ connection_id, stream, record_id })),
    ),
  )
  const byRecord = [...Map.groupBy(names, name => citationUrl('', name)).values()]
  const most = byRecord.sort((a, b) => b.length - a.length).slice(0, MOST_READ)
  const titled = await Promise.all(
    most.flatMap(([name]) => (name ? [titleOf(visit, name).then(title => ({ name, title }))] : [])),
  )
  const distinct = [...Map.groupBy(titled, ({ title }) => title).values()].slice(0, MOST_TITLES)
  if (distinct.length === 0) return ''
  return html`<ul class="plain small">${distinct.map(([first]) => (first ? linkTo(first.name, first.title) : ''))}</ul>`
}

/** What the requests that showed a single record opened, to be told after each; a record is read only once. */
export async function openedTitles(
  visit: Visit,
  requests: readonly Disclosure[],
): Promise<Map<Disclosure, string>> {
  const titles = new Map<string, Promise<string>>()
  const told = requests.map(async (request): Promise<[Disclosure, string][]> => {
    const [only, ...others] = request.shown.flatMap(({ record_ids, ...each }) =>
      record_ids.map(record_id => ({ ...each, record_id })),
    )
    if (!only || others.some(({ record_id }) => record_id !== only.record_id)) return []
    const key = citationUrl('', only)
    const title = titles.get(key) ?? titleOf(visit, only)
    titles.set(key, title)
    return [[request, `: ${await title}`]]
  })
  return new Map((await Promise.all(told)).flat())
}
