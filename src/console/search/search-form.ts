import { html } from 'hono/html'
import type { QueryOf } from '../../api/route.ts'
import type { search } from '../../api/search.ts'
import { type Calendar, sinceInstant } from '../../model/time-bounds.ts'
import { type Option, select } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'

/** The fields that narrow a search. */
const FILTERS = ['source', 'kind', 'person', 'since', 'until', 'sort'] as const

/** The content of the form; `as` names the app whose view is shown, `next` is where the next page of hits begins. */
export type Asked = Record<'q' | (typeof FILTERS)[number] | 'as' | 'next', string>

export function readAsked(query: URLSearchParams): Asked {
  return Object.fromEntries(
    ['q', ...FILTERS, 'as', 'next'].map(name => [name, query.get(name)?.trim() ?? '']),
  ) as Asked
}

/** Whether the search leaves out records, whatever they contain. */
export function isNarrowed({ source, kind, person, since, until }: Asked): boolean {
  return [source, kind, person, since, until].some(value => value !== '')
}

/** The URL of a search, without empty parameters. */
export function searchPath(asked: Partial<Asked>): string {
  const given = Object.entries(asked).filter(([, value]) => value !== '')
  return `/search?${new URLSearchParams(given)}`
}

/** The same search as the API accepts it. Days begin in the owner's zone, and `until` is the first day left out. */
export function queryOf(
  { q, source, kind, person, since, until, sort }: Asked,
  calendar: Calendar,
): QueryOf<typeof search> {
  const start = (day: string) => (day === '' ? '' : sinceInstant(day, calendar))
  const times = { since: start(since), until: start(until), time_zone: calendar.zone.name }
  const given = { connection_id: source, person, ...times, sort }
  const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  return { q, ...query, ...(kind === '' ? {} : { streams: [kind] }) }
}

export interface Choices {
  sources: Option[]
  kinds: Option[]
  apps: Option[]
}

const ORDERS = [
  { value: '', label: 'Best first' },
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
]

export function searchForm(asked: Asked, { sources, kinds, apps }: Choices): Html {
  const { q, source, kind, person, since, until, sort, as } = asked
  return html`<form class="stack" method="get" action="/search" role="search">
<h1>Search</h1>
<div class="ask"><input type="search" name="q" value="${q}" aria-label="Words to search for" placeholder="Words, &quot;a phrase&quot;, prefix*, -without" maxlength="1000" required ${q === '' ? 'autofocus' : ''}>
<button class="primary" type="submit">Search</button></div>
<details ${isNarrowed(asked) || sort !== '' || as !== '' ? 'open' : ''}><summary>Narrow it down</summary>
<div class="filters">
<label>Source ${select('source', [{ value: '', label: 'Every source' }, ...sources], source)}</label>
<label>Kind ${select('kind', [{ value: '', label: 'Every kind' }, ...kinds], kind)}</label>
<label>Person <input type="text" name="person" value="${person}" placeholder="A name or an address" maxlength="200"></label>
<label>From <input type="date" name="since" value="${since}"></label>
<label>Before <input type="date" name="until" value="${until}"></label>
<label>Order ${select('sort', ORDERS, sort)}</label>
${apps.length === 0 ? '' : html`<label>As seen by ${select('as', [{ value: '', label: 'Yourself' }, ...apps], as)}</label>`}
</div></details></form>`
}
