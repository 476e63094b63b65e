import { html } from 'hono/html'
import { listNamed } from '../../api/owner/people.ts'
import { counted, number } from '../../model/amounts.ts'
import { pageResponse } from '../../pages/layout.ts'
import { listed } from '../../pages/words.ts'
import { personPath } from '../page-paths.ts'
import type { Visit } from '../visit.ts'

const MOST_SHOWN = 200

export async function showPeople(visit: Visit): Promise<Response> {
  const words = visit.query.get('q')?.trim().slice(0, 200) ?? ''
  const query = { limit: MOST_SHOWN, ...(words === '' ? {} : { q: words }) }
  const { data: people, meta } = await visit.plain.call(listNamed, {}, { query })
  const others = (meta.count ?? people.length) - people.length
  const { shown } = visit
  const body = html`<div class="stack-wide">
<header class="stack-tight"><h1>People</h1><p class="lede">Everyone in your records. Those who wrote most come first.</p></header>
<form class="ask" method="get" action="/people" role="search"><input type="search" name="q" value="${words}" aria-label="A name or an address" placeholder="A name or an address" maxlength="200"><button class="primary" type="submit">Search</button></form>
${
  people.length === 0
    ? html`<p class="card soft">${words === '' ? 'Nobody is in your records yet.' : 'Nobody in your records matches that.'}</p>`
    : html`<ul class="rows card">${people.map(
        ({ person: key, names, members, wrote }) =>
          html`<li class="head"><span class="path" dir="auto"><a href="${personPath(key)}"><strong>${shown(names[0] ?? key)}</strong></a> <span class="soft small">${listed(members.filter(each => each !== names[0]?.toLowerCase()).map(shown), 3)}</span></span><span class="count">${wrote === 0 ? '' : `wrote ${counted(wrote, 'record')}`}</span></li>`,
      )}</ul>`
}
${others > 0 ? html`<p class="soft small">and ${number(others)} more: search finds them</p>` : ''}</div>`
  return pageResponse({ title: 'People', body, section: 'people' })
}
