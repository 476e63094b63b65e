import { html } from 'hono/html'
import { readLedger } from '../../api/owner/ledger.ts'
import { counted, number } from '../../model/amounts.ts'
import { notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined, monthText } from '../../pages/words.ts'
import { ledgerWarning } from '../activity/activity-page.ts'
import { raisedAlerts } from '../activity/alerts.ts'
import { clientNames } from '../app-names.ts'
import { type AppAccess, connectionsOf, readApps } from '../apps/app-access.ts'
import { type AppReads, readsByApp, recentDisclosures } from '../apps/app-reads.ts'
import {
  isSample,
  type Overview,
  readOverview,
  type SourceOverview,
  spanText,
  type Timeline,
} from '../sources/overview.ts'
import { SAMPLES_PATH } from '../sources/removal-pages.ts'
import { howToImport, sourceRow } from '../sources/sources-page.ts'
import type { Visit } from '../visit.ts'

export async function showHome(visit: Visit): Promise<Response> {
  const { times } = visit
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
    ...{ sources, apps, hasPassphrase, raised, times },
    warning: ledgerWarning(ledger, visit),
  })
  const attentionList =
    notes.length === 0
      ? ''
      : html`<section class="notice warn" aria-label="Needs attention"><ul class="plain stack-tight">${notes.map(note => html`<li>${note}</li>`)}</ul></section>`
  if (sources.length === 0 && disclosures.length === 0) {
    const first = html`<div class="stack-wide measure">${firstSteps()}${attentionList}</div>`
    return pageResponse({ title: 'Home', body: first, section: 'home' })
  }
  const sourceNames = new Map(sources.map(({ connection_id, name }) => [connection_id, name]))
  const body = html`<div class="stack-wide">
<header class="stack-tight"><h1>Your data</h1><p class="lede">${headline(overview)}</p>${whoReads(apps)}</header>
${sources.length === 0 ? '' : html`<form class="ask" method="get" action="/search" role="search"><input type="search" name="q" aria-label="Words to search for" placeholder="Search everything" maxlength="1000" required><button class="primary" type="submit">Search</button></form>`}
${sampleNotice(sources)}
${attentionList}
${unseen(apps, sources)}
${sources.length === 0 ? '' : html`<section class="card stack-tight" aria-label="Records over time"><p class="soft small">Records over time</p>${chart(timeline)}</section>`}
<div class="columns">
${sources.length === 0 ? howToImport(visit) : sourceList(sources, times)}
<section class="stack"><h2>Read by apps lately</h2>
${
  disclosures.length === 0
    ? html`<p class="card soft">No app has read anything yet.</p>`
    : html`<ul class="rows card">${readsByApp(disclosures).map(
        reads => html`<li class="stack-tight">${appSentence(reads, names, sourceNames, times)}</li>`,
      )}</ul>`
}</section>
</div></div>`
  return pageResponse({ title: 'Home', body, section: 'home' })
}

/** What to do with a Footnote that is empty, in order. */
function firstSteps(): Html {
  return html`<header class="stack-tight"><h1>Welcome</h1><p class="lede">Footnote keeps your own mail, chats and notes, and lets an AI app read only what you allow.</p></header>
<ol class="steps card">
<li class="stack"><div class="stack-tight"><h2>Import your data</h2><p>Choose an export of any service: mail, chats, notes, calendars. You see what is in it before anything is stored, and no app can read it yet.</p></div>
<p><a class="button primary" href="/import">Import files or a folder</a></p></li>
<li class="stack"><div class="stack-tight"><h2>Connect an app</h2><p>Claude, ChatGPT or another assistant asks, and you decide here which sources, fields and years it may read, and for how long.</p></div>
<p><a class="button" href="/connect">Connect an app</a></p></li>
<li class="stack-tight"><h2>See what it reads</h2><p><a href="/activity">Activity</a> shows every request and every passage that an app saw. Under <a href="/apps">Apps</a> you take its access back at any time.</p></li>
</ol>`
}

/** Who can read any of it now, which is what an owner wants to know first. */
function whoReads(apps: readonly AppAccess[]): Html {
  return apps.length === 0
    ? html`<p>No app can read any of it. <a href="/connect">Connect an app</a></p>`
    : html`<p><a href="/apps">${counted(apps.length, 'app')} can read some of it</a></p>`
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

/** Says which data is not the owner's, and how to remove it. */
function sampleNotice(sources: readonly SourceOverview[]): Html | '' {
  const samples = sources.filter(isSample).length
  if (samples === 0) return ''
  const isAll = samples === sources.length
  const which = isAll
    ? 'This is'
    : `${samples} of your ${counted(sources.length, 'source')} ${samples === 1 ? 'is' : 'are'}`
  const own = isAll ? html` <a href="/import">Import your own</a>.` : ''
  return notice(
    'info',
    html`${which} sample data of an invented person.${own} <a href="${SAMPLES_PATH}">Remove the samples</a>.`,
  )
}

function appSentence(
  { client_id, calls, records, connection_ids, last }: AppReads,
  names: ReadonlyMap<string, string>,
  sourceNames: ReadonlyMap<string, string>,
  times: Times,
): Html {
  const from = joined(connection_ids.map(id => sourceNames.get(id) ?? 'a removed source'))
  return html`<p><a href="/activity/${encodeURIComponent(client_id)}"><strong>${names.get(client_id) ?? client_id}</strong></a> saw ${counted(records, 'record')}${from === '' ? '' : ` of ${from}`}.</p>
<p class="soft small">Asked ${counted(calls, 'time')}, last ${times.ago(last)}</p>`
}

const WIDTH = 960
const HEIGHT = 120
const WIDEST_BAR = 48

/** Records over time as bars. The same information is given in words. */
function chart({ unit, counts }: Timeline): Html | '' {
  const bars = filled(unit, counts)
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return ''
  const most = Math.max(...bars.map(bar => bar.n))
  const peak = bars.find(bar => bar.n === most) ?? first
  const step = WIDTH / bars.length
  const width = Math.max(1, Math.min(step * 0.78, WIDEST_BAR))
  const said = `Records per ${unit} from ${spoken(first.key)} to ${spoken(last.key)}. Most: ${number(most)} in ${spoken(peak.key)}.`
  return html`<figure class="chart">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${said}">
${bars.map(({ key, n }, index) => {
  const height = n === 0 ? 0 : Math.max(2, (n / most) * HEIGHT)
  return html`<rect x="${((index + 0.5) * step - width / 2).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"><title>${spoken(key)}: ${counted(n, 'record')}</title></rect>`
})}</svg>
<figcaption><span>${spoken(first.key)}</span><span>Most in ${spoken(peak.key)}: ${counted(most, 'record')}</span><span>${spoken(last.key)}</span></figcaption></figure>`
}

/** Every month or year from the first to the last, including those without records. */
function filled(unit: Timeline['unit'], counts: ReadonlyMap<string, number>): { key: string; n: number }[] {
  const keys = [...counts.keys()].sort()
  const [first, last] = [keys[0], keys.at(-1)]
  if (first === undefined || last === undefined) return []
  const place = (key: string) =>
    unit === 'year' ? Number(key) : Number(key.slice(0, 4)) * 12 + Number(key.slice(5)) - 1
  const name = (at: number) =>
    unit === 'year'
      ? String(at).padStart(4, '0')
      : `${String(Math.floor(at / 12)).padStart(4, '0')}-${String((at % 12) + 1).padStart(2, '0')}`
  return Array.from({ length: place(last) - place(first) + 1 }, (_, index) => {
    const key = name(place(first) + index)
    return { key, n: counts.get(key) ?? 0 }
  })
}

function spoken(key: string): string {
  return key.length > 4 ? monthText(key) : key
}

const DAY_MS = 86_400_000
const SOON_DAYS = 14

interface Situation {
  sources: readonly SourceOverview[]
  apps: readonly AppAccess[]
  hasPassphrase: boolean
  /** What is wrong with the ledger. */
  warning: string | null
  /** The alerts that were raised. */
  raised: readonly string[]
  times: Times
}

/** What the owner may want to act on, the most urgent first. */
function attention({ sources, apps, hasPassphrase, warning, raised, times }: Situation): Html[] {
  return [
    ...(warning ? [html`${warning} <a href="/activity">See the activity</a>`] : []),
    ...raised.map(each => html`${each} <a href="/activity">See the activity</a>`),
    ...(hasPassphrase
      ? []
      : [
          html`No passphrase is set, so only a sign-in link signs you in. <a href="/settings">Set a passphrase</a>`,
        ]),
    ...sources.flatMap(source => importProblem(source)),
    ...apps.flatMap(app => ending(app, times)),
  ]
}

function importProblem({ connection_id, name, run }: SourceOverview): Html[] {
  if (!run || run.state === 'finished' || run.state === 'running') return []
  const what = run.state === 'failed' ? 'failed' : 'was interrupted'
  return [
    html`The last import into ${name} ${what} after ${counted(run.seen, 'item')}. Start it again and it resumes.
<a href="/sources/${connection_id}">See the import</a>`,
  ]
}

function ending({ name, client_id, grants }: AppAccess, times: Times): Html[] {
  const ends = grants.flatMap(({ expires_at }) => (expires_at === null ? [] : [expires_at])).sort()
  const [first] = ends
  if (first === undefined || Date.parse(first) - times.now.getTime() > SOON_DAYS * DAY_MS) return []
  return [
    html`The access of ${name} ends on ${times.day(first)}. <a href="/apps/${encodeURIComponent(client_id)}">Extend it, or let it end</a>`,
  ]
}

/** Apps that cannot see what was added since the owner decided about them; those that miss the same are told together. */
function unseen(apps: readonly AppAccess[], sources: readonly SourceOverview[]): Html | '' {
  const lacking = apps.flatMap(app => {
    const missing = addedAfter(app, sources)
    return missing.length === 0 ? [] : [{ app, missing }]
  })
  if (lacking.length === 0) return ''
  const idsOf = (missing: readonly SourceOverview[]) => missing.map(each => each.connection_id).join(' ')
  const groups = [...Map.groupBy(lacking, ({ missing }) => idsOf(missing)).values()]
  return html`<section class="notice" aria-label="Added later"><ul class="plain stack-tight">${groups.map(
    own => {
      const missing = own[0]?.missing ?? []
      const [only, another] = missing
      const place =
        own.length === 1
          ? `/apps/${encodeURIComponent(own[0]?.app.client_id ?? '')}`
          : only && !another
            ? `/sources/${only.connection_id}`
            : '/apps'
      return html`<li>${joined(own.map(({ app }) => app.name))} cannot see ${joined(missing.map(source => source.name))}, which you added later.
<a href="${place}">Let ${own.length === 1 ? 'it' : 'them'} read this, or not</a></li>`
    },
  )}</ul></section>`
}

/**
 * The sources that were added after the owner last decided about this app. An app that may read only some of the sources
 * was limited on purpose, so it lacks nothing.
 */
function addedAfter({ grants }: AppAccess, sources: readonly SourceOverview[]): SourceOverview[] {
  const decided =
    grants
      .map(({ created_at }) => created_at)
      .sort()
      .at(-1) ?? ''
  const open = new Set(grants.flatMap(connectionsOf))
  const closed = sources.filter(({ connection_id }) => !open.has(connection_id))
  const missing = closed.filter(({ created_at }) => created_at > decided)
  return missing.length < closed.length ? [] : missing
}
