import { html } from 'hono/html'
import { counted } from '../../model/amounts.ts'
import { inOneLine } from '../../pages/facts.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined } from '../../pages/words.ts'
import { readClients } from '../app-names.ts'
import { doneNotice } from '../done.ts'
import type { Visit } from '../visit.ts'
import { KEPT_PATH } from './kept-page.ts'
import { readOverview, type SourceOverview, spanText } from './overview.ts'

export async function showSources(visit: Visit): Promise<Response> {
  const [{ sources, count }, apps] = await Promise.all([readOverview(visit), readClients(visit)])
  const readers = (id: string) =>
    apps.flatMap(({ name, connection_ids }) => (connection_ids.includes(id) ? [name] : []))
  const body = html`<div class="stack-wide">
<header class="head"><div class="stack-tight"><h1>Sources</h1><p class="lede">${sources.length === 0 ? 'Nothing is here yet.' : `${counted(count, 'record')} from ${counted(sources.length, 'source')}.`}</p></div>${sources.length === 0 ? '' : html`<a class="button primary" href="/import">Import files or a folder</a>`}</header>
${doneNotice(visit)}
${sources.length === 0 ? '' : html`<ul class="rows card">${sources.map(source => sourceRow(source, visit.times, readers(source.connection_id)))}</ul>`}
${sources.length === 0 ? howToImport(visit) : otherWays(visit)}</div>`
  return pageResponse({ title: 'Sources', body, section: 'sources' })
}

/** In place of the list of sources if there is nothing yet. */
export function howToImport(visit: Visit): Html {
  return html`<section class="card stack"><h2>Add a source</h2><p>Import a file that you exported. Footnote detects its format, and importing it again adds only what is new.</p>
<p><a class="button primary" href="/import">Import files or a folder</a></p></section>${otherWays(visit)}`
}

function otherWays({ env }: Visit): Html {
  return html`<section class="stack-tight"><h2>Other ways to add data</h2><p class="soft">Run this where Footnote runs, with a file or folder:</p>
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

const MOST_READERS = 2

/** Which apps can read a source; many of them are counted, because they would be repeated in every row. */
function readersText(names: readonly string[]): string {
  if (names.length === 0) return 'no app can read it'
  return `${names.length > MOST_READERS ? counted(names.length, 'app') : joined(names)} can read it`
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
    readers === null ? '' : readersText(readers),
  ].filter(fact => fact !== '')
  const filled = kinds.filter(kind => kind.count > 0)
  // The name of a source with one kind of records already says what they are.
  return html`<li class="stack-tight"><div class="head"><a href="/sources/${connection_id}"><strong>${name}</strong></a><span class="amount">${counted(count, 'record')}</span></div>
${filled.length > 1 ? html`<p class="small">${kindsText(filled)}</p>` : ''}
<p class="soft small">${inOneLine(facts)}${rejected > 0 ? html` · <span class="warning">${counted(rejected, 'item')} rejected</span>` : ''}</p></li>`
}
