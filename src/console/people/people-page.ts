import { html } from 'hono/html'
import { listNamed, type NamedPerson } from '../../api/owner/people.ts'
import { counted, number } from '../../model/amounts.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { listed } from '../../pages/words.ts'
import { personPath } from '../page-paths.ts'
import type { Visit } from '../visit.ts'
import { calledOf } from './people.ts'

/** How many are shown at first, and after each request for more. */
const SHOWN = [30, 120, 500] as const
const MOST_OTHERS = 2

export async function showPeople(visit: Visit): Promise<Response> {
  const words = visit.query.get('q')?.trim().slice(0, 200) ?? ''
  const asked = words === '' ? {} : { q: words }
  const limit = SHOWN.find(most => String(most) === visit.query.get('show')) ?? SHOWN[0]
  const { data: people, meta } = await visit.plain.call(listNamed, {}, { query: { limit, ...asked } })
  const all = meta.count ?? people.length
  const body = html`<div class="stack-wide">
<header class="stack-tight"><h1>People</h1><p class="lede">${lede(all, words)}</p></header>
${all === 0 && words === '' ? '' : html`<form class="ask" method="get" action="/people" role="search"><input type="search" name="q" value="${words}" aria-label="A name or an address" placeholder="A name or an address" maxlength="200"><button class="primary" type="submit">Search</button></form>`}
${
  people.length === 0
    ? html`<p class="card soft">${words === '' ? html`People appear here once you have imported mail, chats or contacts. <a href="/import">Import files or a folder</a>` : 'Nobody in your records matches that.'}</p>`
    : html`<ul class="rows card people">${people.map(person => personRow(person, visit))}</ul>`
}
${all > people.length ? more(all - people.length, limit, asked) : ''}</div>`
  return pageResponse({ title: 'People', body, section: 'people' })
}

function lede(all: number, words: string): string {
  if (all === 0) return words === '' ? 'Nobody is in your records yet.' : 'No name matches.'
  const found = words === '' ? 'in your records' : all === 1 ? 'matches' : 'match'
  return `${counted(all, 'name')} ${found}. Those who wrote most come first.`
}

function personRow(person: NamedPerson, { shown }: Visit): Html {
  const { person: key, wrote } = person
  const { name, others } = calledOf(person)
  return html`<li><span class="path" dir="auto"><a href="${personPath(key)}"><strong>${shown(name)}</strong></a> <span class="soft small">${listed(others.map(shown), MOST_OTHERS)}</span></span><span class="amount small">${wrote === 0 ? '' : `wrote ${counted(wrote, 'record')}`}</span></li>`
}

/** Many more are found by searching instead. */
function more(others: number, limit: number, asked: { q?: string }): Html {
  const next = SHOWN.find(most => most > limit)
  if (next === undefined) return html`<p class="soft">And ${number(others)} more: search finds them.</p>`
  const query = new URLSearchParams({ ...asked, show: String(next) })
  return html`<p class="actions"><a class="button" href="/people?${query.toString()}">Show more</a><span class="soft">${number(others)} more; search finds each of them</span></p>`
}
