import { html } from 'hono/html'
import { listClients } from '../../api/owner/grants.ts'
import { counted } from '../../model/amounts.ts'
import { inOneLine } from '../../pages/facts.ts'
import { notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined } from '../../pages/words.ts'
import type { Visit } from '../visit.ts'
import { KEPT_PATH } from './kept-page.ts'
import { readOverview, type SourceOverview, spanText } from './overview.ts'

export async function showSources(visit: Visit): Promise<Response> {
  const [{ sources, count }, { data: apps }] = await Promise.all([
    readOverview(visit),
    visit.call(listClients, {}),
  ])
  const readers = (id: string) =>
    apps.flatMap(({ name, connection_ids }) => (connection_ids.includes(id) ? [name] : []))
  const body = html`<div class="stack-wide">
<header class="head"><div class="stack-tight"><h1>Sources</h1><p class="lede">${sources.length === 0 ? 'Nothing is here yet.' : `${counted(count, 'record')} from ${counted(sources.length, 'source')}.`}</p></div>${sources.length === 0 ? '' : html`<a class="button small" href="/import">Import</a>`}</header>
${visit.query.has('removed') ? notice('info', visit.query.get('removed') === 'samples' ? 'The samples were removed.' : 'The source and its records were removed.') : ''}
${sources.length === 0 ? '' : html`<ul class="rows card">${sources.map(source => sourceRow(source, visit.times, readers(source.connection_id)))}</ul>`}
${howToImport(visit, sources.length === 0)}</div>`
  return pageResponse({ title: 'Sources', body, section: 'sources' })
}

/** Below the list of sources, and in its place if there is nothing yet: then it is what to do next. */
export function howToImport({ env }: Visit, isFirst: boolean): Html {
  return html`<section class="${isFirst ? 'card stack' : 'stack-tight'}"><h2>Add a source</h2><p>Import a file that you exported. Footnote detects its format, and importing it again adds only what is new.</p>
<p><a class="button ${isFirst ? 'primary' : ''}" href="/import">Import files or a folder</a></p><p class="soft">Or run this where Footnote runs, with a file or folder:</p>
<pre class="copy" tabindex="0">${env.spelled('footnote import PATH')}</pre>
<p><a href="${KEPT_PATH}">Mail accounts and folders that are kept up to date</a></p></section>`
}

const MOST_KINDS = 3

/** The first kinds of records: all tables of a folder, for example, would fill the page. */
function kindsText(kinds: SourceOverview['kinds']): string {
  const labels = kinds.slice(0, MOST_KINDS).map(({ label }) => label)
  const others = kinds.length - labels.length
  return [...labels, ...(others > 0 ? [`${others} more`] : [])].join(' · ')
}

export function sourceRow(
  { connection_id, name, kinds, count, years, run, rejected }: SourceOverview,
  times: Times,
  /** The apps that can read it; null if the list does not tell them. */
  readers: readonly string[] | null = null,
): Html {
  const facts = [
    spanText(years),
    run ? `imported ${times.ago(run.changed_at)}` : '',
    readers === null ? '' : readers.length === 0 ? 'no app can read it' : `${joined(readers)} can read it`,
  ].filter(fact => fact !== '')
  // The name of a source with one kind of records already says what they are.
  return html`<li class="stack-tight"><div class="head"><a href="/sources/${connection_id}"><strong>${name}</strong></a><span class="amount">${counted(count, 'record')}</span></div>
${kinds.length > 1 ? html`<p class="small">${kindsText(kinds)}</p>` : ''}
<p class="soft small">${inOneLine(facts)}${rejected > 0 ? html` · <span class="warning">${counted(rejected, 'item')} rejected</span>` : ''}</p></li>`
}
