import { html } from 'hono/html'
import { readLedger, verifyLedger } from '../../api/owner-ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { counted, dayText, joined } from '../../pages/words.ts'
import { clientNames, type Disclosure, disclosuresOf, summed } from '../apps/app-reads.ts'
import { readVocabulary, type Vocabulary } from '../apps/grant-words.ts'
import type { Visit } from '../visit.ts'
import { alertForm, alertNotice, raisedAlerts } from './alerts.ts'

/** How many requests one page sums up. */
const MOST_REQUESTS = 500

/** What apps read, by week and app. */
export function showActivity(visit: Visit): Promise<Response> {
  return activityPage(visit)
}

/** Checks every entry of the ledger now. */
export async function verifyNow(visit: Visit): Promise<Response> {
  await visit.call(verifyLedger, {})
  return activityPage(visit)
}

async function activityPage(visit: Visit): Promise<Response> {
  const from = visit.query.get('from') ?? undefined
  const [{ disclosures, next }, names, vocabulary, ledger, raised, alerts] = await Promise.all([
    disclosuresOf(visit, { cursor: from, most: MOST_REQUESTS }),
    clientNames(visit),
    readVocabulary(visit),
    visit.call(readLedger, {}),
    raisedAlerts(visit),
    alertForm(visit),
  ])
  const weeks = [...Map.groupBy(disclosures, ({ at }) => visit.times.weekOf(at))]
  const body = html`<div class="stack-wide">
<header class="stack-tight"><h1>Activity</h1><p class="lede">What apps asked for and what they were shown.</p></header>
${alertNotice(visit, raised)}
${verified(ledger, visit)}
${weeks.length === 0 ? html`<p class="card soft">No app has asked for anything yet.</p>` : ''}
${weeks.map(([week, own]) => weekCard(week, own, names, vocabulary))}
${next === undefined ? '' : html`<p><a class="button" href="/activity?${new URLSearchParams({ from: next }).toString()}">Earlier requests</a></p>`}
${alerts}
<p class="soft">Keep the ledger: <a href="/activity/ledger.csv">as a table (CSV)</a> or <a href="/activity/ledger.ndjson">as lines of JSON</a>, each line with its signature.</p></div>`
  return pageResponse({ title: 'Activity', body, section: 'activity' })
}

function weekCard(
  week: string,
  disclosures: readonly Disclosure[],
  names: ReadonlyMap<string, string>,
  vocabulary: Vocabulary,
): Html {
  return html`<section class="stack"><h2>Week of ${dayText(week)}</h2><ul class="rows card">${[
    ...Map.groupBy(disclosures, ({ client_id }) => client_id),
  ].map(([client_id, own]) => {
    const { records, chars, connection_ids, streams } = summed(own)
    const refused = own.filter(({ status }) => status >= 400).length
    const facts = [
      counted(own.length, 'request'),
      counted(records, 'record'),
      ...(chars > 0 ? [`${counted(chars, 'character')} of text`] : []),
      ...(refused > 0 ? [`${refused.toLocaleString('en-GB')} refused`] : []),
    ]
    const sources = connection_ids.map(id => vocabulary.sources.get(id) ?? 'a removed source')
    const kinds = streams.map(stream => vocabulary.labels.get(stream) ?? stream)
    return html`<li class="stack-tight"><div class="head"><a href="/activity/${encodeURIComponent(client_id)}?week=${week}"><strong>${names.get(client_id) ?? client_id}</strong></a><span class="count">${facts.join(' · ')}</span></div>
${sources.length === 0 ? '' : html`<p class="soft small">${joined(sources)} – ${joined(kinds)}</p>`}</li>`
  })}</ul></section>`
}

type Ledger = ReplyOf<typeof readLedger>

/** What is known of the ledger itself. */
export function ledgerWarning({ last_verified }: Ledger, times: Times): string | null {
  return last_verified?.state === 'broken'
    ? `The ledger was changed from outside: ${counted(last_verified.problems, 'place')} did not fit on ${times.day(last_verified.at)}. Run footnote ledger verify where Footnote runs to see which.`
    : null
}

function verified(ledger: Ledger, { csrf, times }: Visit): Html {
  const { last_verified } = ledger
  const warning = ledgerWarning(ledger, times)
  const said =
    last_verified === null
      ? 'Every request is noted and signed. The notes were not verified yet.'
      : `${counted(last_verified.entries, 'entry', 'entries')} verified ${times.ago(last_verified.at)}: ${WORDS[last_verified.state]}.`
  return html`${warning ? notice('danger', warning) : ''}<form class="head" method="post" action="/activity"><p class="soft small">${said}</p>
${hidden([['csrf', csrf]])}<button class="small" type="submit">Verify now</button></form>`
}

const WORDS = {
  intact: 'nothing was changed',
  unverifiable: 'some could not be checked, because their key is missing',
  broken: 'something was changed',
}
