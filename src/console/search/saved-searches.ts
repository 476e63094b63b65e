import { html } from 'hono/html'
import { deleteSearch, listSearches, saveSearch } from '../../api/owner/searches.ts'
import { CodedError } from '../../model/errors.ts'
import { hidden } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
import { goToTell } from '../done.ts'
import { goTo, type Visit } from '../visit.ts'
import { type Asked, readAsked, searchPath } from './search-form.ts'

/** Saves the search of the form, or removes a saved one. */
export async function changeSavedSearches(visit: Visit, form: URLSearchParams): Promise<Response> {
  const search_id = form.get('remove')
  if (search_id !== null) {
    await visit.call(deleteSearch, { search_id })
    return goToTell('/search', 'search-removed')
  }
  const asked = readAsked(form)
  if (asked.q === '') throw new CodedError('invalid_request', 'There is nothing to save yet.')
  const query = savedAs(asked)
  const name = form.get('name')?.trim().slice(0, 200) || asked.q.slice(0, 200)
  await visit.call(saveSearch, {}, { json: { name, query } })
  return goTo(searchPath(asked))
}

function savedAs(asked: Asked): string {
  return searchPath({ ...asked, next: '' }).slice('/search?'.length)
}

/** The button that saves the search, or that it is saved. */
export async function saveForm(visit: Visit, asked: Asked): Promise<Html> {
  const { data } = await visit.plain.call(listSearches, {})
  if (data.some(({ query }) => query === savedAs(asked)))
    return html`<p class="small" role="status">Saved. <a href="/search">Your saved searches</a></p>`
  const fields = Object.entries(asked).filter(([, value]) => value !== '')
  return html`<form method="post" action="/search">${hidden([['csrf', visit.csrf], ...fields])}
<button class="small" type="submit">Save this search</button></form>`
}

export async function savedSearches(visit: Visit): Promise<Html | ''> {
  const { data } = await visit.call(listSearches, {})
  if (data.length === 0) return ''
  return html`<section class="stack"><h2>Saved searches</h2><ul class="rows card">${data.map(
    ({ search_id, name, query }) =>
      html`<li class="head"><a href="/search?${query}" dir="auto">${visit.shown(name)}</a>
<form method="post" action="/search">${hidden({ csrf: visit.csrf, remove: search_id })}<button class="small" type="submit" aria-label="Remove ${visit.shown(name)}">Remove</button></form></li>`,
  )}</ul></section>`
}
