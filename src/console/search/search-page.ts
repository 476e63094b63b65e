import { html } from 'hono/html'
import { search } from '../../api/search.ts'
import { listStreams } from '../../api/streams.ts'
import { CodedError } from '../../model/errors.ts'
import { notice, type Option, select } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { counted } from '../../pages/words.ts'
import type { Visit } from '../visit.ts'
import { hitCard } from './hit-card.ts'

/** The names of the form's fields; `next` is where the next page of hits begins. */
const FILTERS = ['source', 'kind', 'person', 'since', 'until', 'sort'] as const

type Asked = Record<'q' | (typeof FILTERS)[number] | 'next', string>

/** The hits of `/v1/search` in their order, with what an assistant would see of each. */
export async function showSearch(visit: Visit): Promise<Response> {
  const asked = Object.fromEntries(
    ['q', ...FILTERS, 'next'].map(name => [name, visit.query.get(name)?.trim() ?? '']),
  ) as Asked
  const { data: streams } = await visit.call(listStreams, {})
  const labels = new Map(streams.map(({ name, label }) => [name, label]))
  const sources = new Map(
    streams.flatMap(({ connections }) => connections.map(each => [each.connection_id, each.display_name])),
  )
  const answer = asked.q === '' ? null : await ask(visit, asked)
  const body = html`<div class="stack-wide">
${form(asked, options(sources), options(labels))}
${answer === null ? help() : answer instanceof CodedError ? notice('danger', answer.message) : results(visit, asked, answer, labels)}
</div>`
  const title = asked.q === '' ? 'Search' : `${asked.q.slice(0, 60)} · Search`
  const status = answer instanceof CodedError ? answer.status : 200
  return pageResponse({ title, body, section: 'search' }, { status })
}

function ask(visit: Visit, { q, source, kind, person, since, until, sort, next }: Asked) {
  const given = { connection_id: source, person, since, until, sort, cursor: next }
  const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  return visit
    .call(search, {}, { query: { q, limit: 10, ...query, ...(kind === '' ? {} : { streams: [kind] }) } })
    .catch((error: unknown) => {
      if (error instanceof CodedError && error.status < 500) return error
      throw error
    })
}

function options(names: ReadonlyMap<string, string>): Option[] {
  return [...names].map(([value, label]) => ({ value, label }))
}

const ORDERS = [
  { value: '', label: 'Best first' },
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
]

function form(
  { q, source, kind, person, since, until, sort }: Asked,
  sources: Option[],
  kinds: Option[],
): Html {
  const isNarrowed = [source, kind, person, since, until, sort].some(value => value !== '')
  return html`<form class="stack" method="get" action="/search" role="search">
<h1>Search</h1>
<div class="ask"><input type="search" name="q" value="${q}" aria-label="Words to search for" placeholder="Words, &quot;a phrase&quot;, begin*, -without" maxlength="1000" required ${q === '' ? 'autofocus' : ''}>
<button class="primary" type="submit">Search</button></div>
<details ${isNarrowed ? 'open' : ''}><summary>Narrow it down</summary>
<div class="filters">
<label>Source ${select('source', [{ value: '', label: 'Every source' }, ...sources], source)}</label>
<label>Kind ${select('kind', [{ value: '', label: 'Every kind' }, ...kinds], kind)}</label>
<label>Person <input type="text" name="person" value="${person}" placeholder="A name or an address" maxlength="200"></label>
<label>From <input type="date" name="since" value="${since}"></label>
<label>Before <input type="date" name="until" value="${until}"></label>
<label>Order ${select('sort', ORDERS, sort)}</label>
</div></details></form>`
}

type Found = Exclude<Awaited<ReturnType<typeof ask>>, CodedError>

function results(
  { times }: Visit,
  asked: Asked,
  { data, next_cursor, meta }: Found,
  labels: ReadonlyMap<string, string>,
): Html {
  const warnings = meta.warnings.map(({ message }) => html`<p class="soft small">${message}</p>`)
  const cut = meta.recall?.truncated
    ? notice(
        'warn',
        'There is more than can be ranked at once, so the best match may be missing. Add a word or narrow the search.',
      )
    : ''
  if (data.length === 0)
    return html`<div class="stack">${warnings}<p class="lede">Nothing was found. Use fewer words, or only the first letters of a word with * after them.</p></div>`
  const { next: _, ...rest } = asked
  const more = new URLSearchParams({ ...rest, next: next_cursor ?? '' })
  return html`<section class="stack" aria-label="Results">${warnings}${cut}${countLine(meta)}
<ol class="rows card">${data.map(hit => hitCard(hit, labels.get(hit.stream) ?? hit.stream, times))}</ol>
${next_cursor === undefined ? html`<p class="soft small">That is all.</p>` : html`<p><a class="button" href="/search?${more.toString()}">More results</a></p>`}</section>`
}

/** How many records hold all the words; those with only some of them come after. */
function countLine({ count, count_accuracy }: Found['meta']): Html | '' {
  if (typeof count !== 'number' || count_accuracy === 'not_counted') return ''
  const all = `${counted(count, 'record')} ${count === 1 ? 'holds' : 'hold'} all these words.`
  return html`<p class="soft">${count_accuracy === 'lower_bound' ? `At least ${all}` : all}</p>`
}

function help(): Html {
  return html`<dl class="facts soft">
<div><dt>Words</dt><dd>engine overhaul finds records with these words. Those that have both, close together, come first.</dd></div>
<div><dt>A phrase</dt><dd>"engine overhaul" finds these words one after the other.</dd></div>
<div><dt>First letters</dt><dd>over* finds overhaul and overnight.</dd></div>
<div><dt>Without a word</dt><dd>engine -diesel leaves out what mentions diesel.</dd></div></dl>`
}
