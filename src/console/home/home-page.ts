import { html } from 'hono/html'
import { readLedger } from '../../api/owner-ledger.ts'
import { counted } from '../../model/amounts.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined } from '../../pages/words.ts'
import { ledgerWarning } from '../activity/activity-page.ts'
import { raisedAlerts } from '../activity/alerts.ts'
import { readApps } from '../apps/app-access.ts'
import { type AppReads, clientNames, readsByApp, recentDisclosures } from '../apps/app-reads.ts'
import { type Overview, readOverview, type SourceOverview, spanText } from '../sources/overview.ts'
import { howToImport, sourceRow } from '../sources/sources-page.ts'
import type { Visit } from '../visit.ts'
import { attention } from './attention.ts'
import { chart } from './chart.ts'

export async function showHome(visit: Visit): Promise<Response> {
  const { now, times } = visit
  const [overview, apps, names, disclosures, hasPassphrase, ledger, raised] = await Promise.all([
    readOverview(visit),
    readApps(visit),
    clientNames(visit),
    recentDisclosures(visit),
    visit.env.hasPassphrase(),
    visit.call(readLedger, {}),
    raisedAlerts(visit),
  ])
  const { sources, timeline } = overview
  const notes = attention({
    ...{ sources, apps, hasPassphrase, raised, now, times },
    warning: ledgerWarning(ledger, visit),
  })
  const sourceNames = new Map(sources.map(({ connection_id, name }) => [connection_id, name]))
  const body = html`<div class="stack-wide">
<header class="stack-tight"><h1>Your data</h1><p class="lede">${headline(overview)}</p></header>
${sources.length === 0 ? '' : html`<form class="ask" method="get" action="/search" role="search"><input type="search" name="q" aria-label="Words to search for" placeholder="Search everything" maxlength="1000" required><button class="primary" type="submit">Search</button></form>`}
${notes.length === 0 ? '' : html`<section class="notice warn" aria-label="Needs attention"><ul class="plain stack-tight">${notes.map(note => html`<li>${note}</li>`)}</ul></section>`}
${sources.length === 0 ? '' : html`<section class="card stack-tight" aria-label="Records over time"><p class="soft small">Records over time</p>${chart(timeline)}</section>`}
<div class="columns">
${sources.length === 0 ? howToImport(visit, true) : sourceList(sources, times)}
<section class="stack"><h2>Read by apps lately</h2>
${
  disclosures.length === 0
    ? html`<p class="card soft">No app has read anything yet.${apps.length === 0 ? html` <a href="/connect">Connect an app</a>` : ''}</p>`
    : html`<ul class="rows card">${readsByApp(disclosures).map(
        reads => html`<li class="stack-tight">${appSentence(reads, names, sourceNames, times)}</li>`,
      )}</ul>`
}</section>
</div></div>`
  return pageResponse({ title: 'Home', body, section: 'home' })
}

const MOST_SOURCES = 6

/** The sources that were imported last; the page of sources lists all of them. */
function sourceList(sources: readonly SourceOverview[], times: Times): Html {
  const importedAt = ({ run, created_at }: SourceOverview) => run?.changed_at ?? created_at
  const shown =
    sources.length <= MOST_SOURCES
      ? sources
      : sources.toSorted((a, b) => (importedAt(a) < importedAt(b) ? 1 : -1)).slice(0, MOST_SOURCES)
  return html`<section class="stack"><h2>Sources</h2><ul class="rows card">${shown.map(source => sourceRow(source, times))}</ul>
${shown.length === sources.length ? '' : html`<p><a href="/sources">All ${counted(sources.length, 'source')}</a></p>`}</section>`
}

function headline({ sources, count }: Overview): string {
  if (sources.length === 0) return 'Nothing is here yet.'
  const years = sources.flatMap(source => source.years ?? []).sort()
  const span = spanText(years[0] === undefined ? null : [years[0], years.at(-1) ?? years[0]])
  return `${counted(count, 'record')} from ${counted(sources.length, 'source')}${span === '' ? '' : `, ${span}`}.`
}

function appSentence(
  { client_id, requests, records, connection_ids, last }: AppReads,
  names: ReadonlyMap<string, string>,
  sourceNames: ReadonlyMap<string, string>,
  times: Times,
): Html {
  const from = joined(connection_ids.map(id => sourceNames.get(id) ?? 'a removed source'))
  return html`<p><a href="/activity/${encodeURIComponent(client_id)}"><strong>${names.get(client_id) ?? client_id}</strong></a> saw ${counted(records, 'record')}${from === '' ? '' : ` of ${from}`}.</p>
<p class="soft small">${counted(requests, 'request')}, the last ${times.ago(last)}</p>`
}
