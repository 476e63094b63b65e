import { html } from 'hono/html'
import { counted } from '../../model/amounts.ts'
import type { Html } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { joined } from '../../pages/words.ts'
import { type Disclosure, summed } from '../apps/app-reads.ts'
import type { Visit } from '../visit.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { mostShown, openedTitles } from './record-link.ts'
import { doneWords, failedWords, requestWords, type Said } from './request-words.ts'

/** Requests that are closer together than this belong together. */
const GAP_MS = 10 * 60_000
/** More are collapsed. */
const MOST_OPEN = 5

/** The requests of one app, newest first, grouped by closeness in time. */
export function sittingsOf(disclosures: readonly Disclosure[]): Disclosure[][] {
  const found: Disclosure[][] = []
  let last: Disclosure | undefined
  for (const each of disclosures) {
    if (last && Date.parse(last.at) - Date.parse(each.at) < GAP_MS) found.at(-1)?.push(each)
    else found.push([each])
    last = each
  }
  return found
}

/** What an app did at one time: a sentence, what it saw, and each request. */
export async function sittingCard(
  visit: Visit,
  requests: readonly Disclosure[],
  { sources }: Vocabulary,
): Promise<Html> {
  const { times } = visit
  const { records, passages, chars, connection_ids } = summed(requests)
  const from = joined(connection_ids.map(id => sources.get(id) ?? 'a removed source'))
  const facts = [
    ...(records === 0 ? [] : [`Saw ${counted(records, 'record')}.`]),
    ...(chars === 0 ? [] : [`${counted(passages, 'passage')} with ${counted(chars, 'character')} of text.`]),
    ...(from === '' ? [] : [`From ${from}.`]),
  ]
  const failed = failedWords(requests)
  const titles = await mostShown(visit, requests)
  const [only] = requests
  if (only && requests.length === 1)
    return html`<li class="stack-tight"><div class="head"><h2 class="done"><a href="${requestPath(only)}">${saidHtml(visit, requestWords(only))}</a></h2><span class="count small">${times.at(only.at)}</span></div>
${from === '' ? '' : html`<p class="soft">From ${from}.</p>`}${titles}</li>`
  const opened = await openedTitles(visit, requests)
  const list = html`<ol class="plain requests small">${requests.map(
    each =>
      html`<li class="head"><span dir="auto"><a href="${requestPath(each)}">${saidHtml(visit, requestWords(each))}</a>${opened.get(each) ?? ''}</span><span class="count">${times.clock(each.at)}</span></li>`,
  )}</ol>`
  return html`<li class="stack-tight"><div class="head"><h2 class="done">${saidHtml(visit, doneWords(requests))}</h2><span class="count small">${span(requests, times)}</span></div>
${facts.length === 0 ? '' : html`<p class="soft">${facts.join(' ')}</p>`}${titles}${failed === '' ? '' : html`<p class="warning">${failed}</p>`}
${requests.length > MOST_OPEN ? html`<details><summary>${counted(requests.length, 'request')}</summary>${list}</details>` : list}</li>`
}

function span(requests: readonly Disclosure[], times: Times): string {
  const [last, first] = [requests[0]?.at ?? '', requests.at(-1)?.at ?? '']
  return times.clock(first) === times.clock(last)
    ? times.at(last)
    : `${times.at(first)} to ${times.clock(last)}`
}

function requestPath({ client_id, disclosure_id, at }: Disclosure): string {
  return `/activity/${encodeURIComponent(client_id)}/${encodeURIComponent(disclosure_id)}?${new URLSearchParams({ at })}`
}

/** A sentence with a capital letter, unless it follows its subject. */
export function saidHtml(visit: Visit, parts: readonly Said[], isWhole = true): Html {
  return html`${parts.map((part, index) => {
    if (typeof part !== 'string') return html`<em dir="auto">${visit.shown(part.searched)}</em>`
    return isWhole && index === 0 ? part.charAt(0).toUpperCase() + part.slice(1) : part
  })}`
}
