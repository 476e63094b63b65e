import { html } from 'hono/html'
import { MOST_IN_PART } from '../../api/owner/activity.ts'
import { readLedger, verifyLedger } from '../../api/owner/ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import { counted, number } from '../../model/amounts.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined } from '../../pages/words.ts'
import { clientNames } from '../app-names.ts'
import { doneNotice } from '../done.ts'
import type { Visit } from '../visit.ts'
import { kindsText, readVocabulary, type Vocabulary } from '../vocabulary.ts'
import { alertForm, alertNotice, raisedAlerts } from './alerts.ts'
import { type AppWeek, readWeeks, type Week, weekName } from './weeks.ts'

/** Checks every entry of the ledger now. */
export async function verifyNow(visit: Visit): Promise<Response> {
  await visit.call(verifyLedger, {})
  return showActivity(visit)
}

/** What apps read, by week and app. */
export async function showActivity(visit: Visit): Promise<Response> {
  const [weeks, names, vocabulary, ledger, raised, alerts] = await Promise.all([
    readWeeks(visit, visit.times.weekBounds(visit.query.get('before') ?? '')?.since),
    clientNames(visit),
    readVocabulary(visit),
    visit.call(readLedger, {}),
    raisedAlerts(visit),
    alertForm(visit),
  ])
  const { shown, earlier } = weeks
  const isEmpty = shown.length === 0 && earlier === null
  const body = html`<div class="stack-wide">
<header class="stack-tight"><h1>Activity</h1><p class="lede">What apps asked for and what they were shown.</p></header>
${doneNotice(visit)}
${alertNotice(visit, raised)}
${isEmpty && ledger.last_verified === null ? '' : verified(ledger, visit)}
${shown.length === 0 ? html`<p class="card soft">No app has asked for anything yet. <a href="/connect">Connect an app</a></p>` : ''}
${shown.map(week => weekCard(week, names, vocabulary, visit.times))}
${earlier === null ? '' : html`<p><a class="button" href="/activity?${new URLSearchParams({ before: earlier }).toString()}">Earlier weeks</a></p>`}
${alerts}
${ledger.shows_queries ? '' : html`<p class="soft">The words that apps search for are recorded, but not shown here. <a href="/settings/server#ledger-queries">Change</a></p>`}
${isEmpty ? '' : html`<p class="soft">Keep the ledger: <a href="/activity/ledger.csv">as a table (CSV)</a> or <a href="/activity/ledger.ndjson">as JSON lines</a>, each line with its signature.</p>`}</div>`
  return pageResponse({ title: 'Activity', body, section: 'activity' })
}

const MOST_KINDS = 4

function weekCard(
  { monday, apps }: Week,
  names: ReadonlyMap<string, string>,
  vocabulary: Vocabulary,
  times: Times,
): Html {
  return html`<section class="stack"><h2>${weekName(monday, times)}</h2><ul class="rows card">${apps.map(
    each => {
      const { client_id, by_part, examined, requests } = each
      const sources = each.shown.map(({ connection_id }) => vocabulary.sources.get(connection_id))
      const kinds = kindsText(
        each.shown.map(({ stream }) => stream),
        vocabulary,
        MOST_KINDS,
      )
      const from = joined([...new Set(sources.map(name => name ?? 'a removed source'))])
      return html`<li class="stack-tight"><div class="head"><a href="/activity/${encodeURIComponent(client_id)}?week=${monday}"><strong>${names.get(client_id) ?? client_id}</strong></a>${sparkline(by_part)}</div>
<p class="soft">${factsOf(each).join(' · ')}</p>
${from === '' ? '' : html`<p class="soft small">${kinds}, from ${from}</p>`}
${examined < requests ? html`<p class="soft small">Only the newest ${counted(examined, 'request')} ${examined === 1 ? 'was' : 'were'} summed up.</p>` : ''}</li>`
    },
  )}</ul></section>`
}

/** How often it asked: a call of a tool is several requests. */
function factsOf({
  calls,
  examined,
  requests,
  records,
  characters,
  refused,
  empty_searches,
}: AppWeek): string[] {
  return [
    `Asked ${examined < requests ? 'at least ' : ''}${counted(calls, 'time')}`,
    records === 0 ? 'saw no records' : `saw ${counted(records, 'record')}`,
    ...(characters > 0 ? [`${counted(characters, 'character')} of text`] : []),
    ...(refused > 0 ? [`${number(refused)} refused`] : []),
    ...(empty_searches > 0 ? [`${counted(empty_searches, 'search', 'searches')} without a result`] : []),
  ]
}

type Ledger = ReplyOf<typeof readLedger>

/** A warning if the last verification of the ledger found problems. */
export function ledgerWarning({ last_verified }: Ledger, { env, times }: Visit): string | null {
  return last_verified?.state === 'broken'
    ? `The ledger was changed from outside: ${counted(last_verified.problems, 'place')} did not match on ${times.day(last_verified.at)}. Run ${env.spelled('footnote ledger verify')} where Footnote runs to see which.`
    : null
}

function verified(ledger: Ledger, visit: Visit): Html {
  const { csrf, times } = visit
  const { last_verified } = ledger
  const warning = ledgerWarning(ledger, visit)
  const said =
    last_verified === null
      ? 'Every request is recorded and signed. The ledger has not been verified yet.'
      : `${counted(last_verified.entries, 'entry', 'entries')} verified ${times.ago(last_verified.at)}: ${WORDS[last_verified.state]}.`
  return html`${warning ? notice('danger', warning) : ''}<form class="head" method="post" action="/activity"><p class="soft small">${said}</p>
${hidden({ csrf })}<button class="small" type="submit">Verify now</button></form>`
}

const WORDS = {
  intact: 'nothing was changed',
  unverifiable: 'some could not be checked, because their key is missing',
  broken: 'something was changed',
}

const STEP = 10
const BAR = 7
const HEIGHT = 20
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** The requests of each day of a week as small bars. The same information is given in words. */
function sparkline(byDay: readonly number[]): Html {
  const most = Math.max(1, ...byDay)
  const said = byDay
    .map((n, day) => `${DAYS[day]} ${number(n)}${n < MOST_IN_PART ? '' : ' or more'}`)
    .filter((_, day) => byDay[day] !== 0)
    .join(', ')
  return html`<svg class="spark" viewBox="0 0 ${byDay.length * STEP} ${HEIGHT}" role="img" aria-label="Requests by day: ${said}">${byDay.map(
    (n, day) => {
      const height = Math.max(n === 0 ? 1 : 3, (n / most) * HEIGHT)
      return html`<rect ${n === 0 ? html`class="none"` : ''} x="${day * STEP}" y="${(HEIGHT - height).toFixed(1)}" width="${BAR}" height="${height.toFixed(1)}"></rect>`
    },
  )}</svg>`
}
