import { html } from 'hono/html'
import type { NamedPerson } from '../../api/owner/people.ts'
import { counted } from '../../model/amounts.ts'
import { ownNamesIn } from '../../model/reading/people.ts'
import { hidden } from '../../pages/forms.ts'
import type { Html } from '../../pages/layout.ts'
import { personPath } from '../page-paths.ts'
import type { Visit } from '../visit.ts'
import type { Person } from './people.ts'

/** What the owner calls the person. */
export function nameForm(visit: Visit, person: Person, name: string): Html {
  return html`<section class="stack"><h2>What to call this person</h2>
<form class="ask" method="post" action="${personPath(person.person)}">${hidden([['csrf', visit.csrf]])}<input type="text" name="name" value="${name}" aria-label="What to call this person" maxlength="200" required><button type="submit">Save</button></form>
${person.members.length === 1 ? forgetForm(visit, person, 'Use the name in the records again') : ''}</section>`
}

/** Adds the names of the person to those of the owner. */
export function ownForm({ env, csrf, isDemo }: Visit, { members }: Person): Html | '' {
  const setting = env.settings?.read().find(({ name }) => name === 'my-names')
  if (!setting || setting.fixed !== null || isDemo) return ''
  const own = ownNamesIn(setting.value) ?? []
  const known = new Set(own.map(name => name.toLowerCase()))
  // The order of the words of a name does not count, but commas separate names.
  const added = members.map(each => each.replaceAll(',', ' ')).filter(each => !known.has(each))
  if (added.length === 0)
    return html`<p class="soft">This is you: <code class="flag">from:me</code> finds it. <a href="/settings/server#my-names">Your names</a></p>`
  return html`<section class="stack"><h2>Is this you?</h2>
<p class="soft">Then <code class="flag">from:me</code> and <code class="flag">to:me</code> find these records, in your searches and in those of apps.</p>
<form method="post" action="/settings/server">${hidden([
    ['csrf', csrf],
    ['name', setting.name],
    ['value', [...own, ...added].join(', ')],
  ])}<button type="submit">This is me</button></form></section>`
}

/** Joins names and addresses of one person; those with the same name are offered. */
export function sameForm(visit: Visit, person: Person, namesakes: readonly NamedPerson[]): Html {
  const count = person.members.length
  return html`<section class="stack"><h2>One person, several names?</h2>
<form class="stack-tight" method="post" action="${personPath(person.person)}">${hidden([['csrf', visit.csrf]])}
<p class="soft">Only you can join two names. This changes what these pages show you, never what apps get.</p>
<div class="ask"><input type="text" name="other" aria-label="Another name or address of this person" placeholder="Another name or address of this person" maxlength="500" required><button type="submit">It is the same</button></div></form>
${namesakes.length === 0 ? '' : html`<ul class="rows card">${namesakes.map(each => namesake(visit, person, each))}</ul>`}
${count > 1 ? forgetForm(visit, person, `Separate these ${counted(count, 'name')} again`) : ''}</section>`
}

/** Another person in the records with the same name. */
function namesake(
  { csrf, shown }: Visit,
  { person: key }: Person,
  { person: other, wrote }: NamedPerson,
): Html {
  return html`<li class="head"><span class="path" dir="auto"><a href="${personPath(other)}">${shown(other)}</a> <span class="soft small">${wrote === 0 ? '' : `wrote ${counted(wrote, 'record')}`}</span></span>
<form method="post" action="${personPath(key)}">${hidden([
    ['csrf', csrf],
    ['other', other],
  ])}<button class="small" type="submit" aria-label="It is the same as ${shown(other)}">It is the same</button></form></li>`
}

/** Forgets what the owner said about a person. */
function forgetForm({ csrf }: Visit, { person: key, person_id }: Person, label: string): Html | '' {
  if (person_id === null) return ''
  return html`<form method="post" action="${personPath(key)}">${hidden([
    ['csrf', csrf],
    ['separate', person_id],
  ])}<button class="small" type="submit">${label}</button></form>`
}
