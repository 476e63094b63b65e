import { html } from 'hono/html'
import { pageResponse } from '../../pages/layout.ts'
import { counted, listed } from '../../pages/words.ts'
import type { Visit } from '../visit.ts'
import { readPeople } from './people.ts'

const MOST_SHOWN = 200

export async function showPeople(visit: Visit): Promise<Response> {
  const words = visit.query.get('q')?.trim().slice(0, 200) ?? ''
  const people = await readPeople(visit.plain, words)
  const { shown } = visit
  const body = html`<div class="stack-wide">
<header class="stack-tight"><h1>People</h1><p class="lede">Who wrote most, and everyone in your latest records. Search finds the others.</p></header>
<form class="ask" method="get" action="/people" role="search"><input type="search" name="q" value="${words}" aria-label="A name or an address" placeholder="A name or an address" maxlength="200"><button class="primary" type="submit">Search</button></form>
${
  people.length === 0
    ? html`<p class="card soft">${words === '' ? 'Nobody is in your records yet.' : 'Nobody like that is in your records.'}</p>`
    : html`<ul class="rows card">${people
        .slice(0, MOST_SHOWN)
        .map(
          ({ key, names, members, wrote }) =>
            html`<li class="head"><span class="path" dir="auto"><a href="${personPath(key)}"><strong>${shown(names[0] ?? key)}</strong></a> <span class="soft small">${listed(members.filter(each => each !== names[0]?.toLowerCase()).map(shown), 3)}</span></span><span class="count">${wrote === 0 ? '' : `wrote ${counted(wrote, 'record')}`}</span></li>`,
        )}</ul>`
}
${people.length > MOST_SHOWN ? html`<p class="soft small">and ${people.length - MOST_SHOWN} more</p>` : ''}</div>`
  return pageResponse({ title: 'People', body, section: 'people' })
}

export function personPath(key: string): string {
  return `/people/${encodeURIComponent(key)}`
}
