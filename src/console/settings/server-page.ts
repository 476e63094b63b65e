import { html } from 'hono/html'
import { CodedError } from '../../model/errors.ts'
import { hidden, notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import type { OwnerSetting } from '../environment.ts'
import { goTo, type Visit } from '../visit.ts'

export async function changeServerSettings(visit: Visit, form: URLSearchParams): Promise<Response> {
  const { settings } = visit.env
  const setting = settings?.read().find(({ name }) => name === form.get('name'))
  if (!settings || !setting) throw new CodedError('not_found', 'There is no such setting here.')
  const value = form.get('value')?.trim() ?? ''
  try {
    await settings.change(setting.name, value)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return showServerSettings(visit, { name: setting.name, value, error })
  }
  return goTo(`/settings/server?${new URLSearchParams({ saved: setting.name })}#${setting.name}`)
}

/** What was entered for a setting and why it was refused. */
interface Refused {
  name: OwnerSetting['name']
  value: string
  error: CodedError
}

const TITLE = 'Times, names, address and searches'

/** What the owner can set: time zone, own names, address and whether queries are shown. */
export function showServerSettings(visit: Visit, refused?: Refused): Promise<Response> {
  const settings = visit.env.settings?.read() ?? []
  const body = html`<div class="stack measure">
<header class="stack-tight"><p class="small"><a href="/settings">Settings</a></p><h1>${TITLE}</h1></header>
${settings.length === 0 ? html`<p class="card soft">This server is configured where it is started.</p>` : ''}
${settings.map(setting => settingCard(visit, setting, refused?.name === setting.name ? refused : null))}</div>`
  return pageResponse({ title: TITLE, body, section: 'settings' }, { status: refused?.error.status ?? 200 })
}

const TEXTS: Readonly<Record<OwnerSetting['name'], { title: string; hint: Html | string }>> = {
  'time-zone': {
    title: 'Your time zone',
    hint: 'Times, days, months and years are shown and counted in this zone.',
  },
  'my-names': {
    title: 'Your names and addresses',
    hint: html`What your mail and chats call you, separated by commas: Ann Example, ann@example.org. Then <code class="flag">from:me</code> and <code class="flag">to:me</code> find what you wrote and received, in your searches and in those of apps.`,
  },
  'public-url': {
    title: 'The address of this Footnote',
    hint: html`Where browsers and apps reach it, for example by a tunnel or a reverse proxy. A change takes effect when Footnote restarts. Apps that use the old address have to be connected again. If you can no longer reach the pages, start Footnote with <code class="flag">--public-url</code> and the right address.`,
  },
  'ledger-queries': {
    title: 'What apps search for',
    hint: 'What they search for is always recorded. Here you decide whether Activity shows it.',
  },
}

function settingCard(visit: Visit, setting: OwnerSetting, refused: Refused | null): Html {
  const { name, kept, fixed } = setting
  // A scrambled text must not be saved.
  const isText = name === 'public-url' || name === 'my-names'
  const isSecret = visit.isDemo && isText
  const value = isSecret ? '' : setting.value
  const { title, hint } = TEXTS[name]
  const waiting = name === 'public-url' && fixed === null && !isSecret && kept !== null && kept !== value
  return html`<form class="card stack" method="post" action="/settings/server"><h2 id="${name}">${title}</h2>
<p class="hint" id="${name}-hint">${hint}</p>
${
  fixed === null
    ? html`${hidden({ csrf: visit.csrf, name })}${waiting ? notice('info', `Now it is ${value}. After the next start it will be ${kept}.`) : ''}
${refused ? notice('danger', refused.error.message) : ''}
${!waiting && visit.query.get('saved') === name ? notice('good', 'Saved.') : ''}
${field(name, (isText && refused?.value) || (waiting ? kept : value), refused !== null)}<div class="actions"><button type="submit">Save</button></div>`
    : html`<p><strong>${shown(name, value)}</strong></p><p class="soft">It is set by <code>${fixed}</code> where Footnote is started, so it cannot be changed here.</p>`
}</form>`
}

function field(name: OwnerSetting['name'], value: string, isRefused: boolean): Html {
  const told = html`aria-labelledby="${name}" aria-describedby="${name}-hint" ${isRefused ? html`aria-invalid="true" autofocus` : ''}`
  if (name === 'public-url')
    return html`<input type="text" inputmode="url" name="value" value="${value}" maxlength="300" required ${told}>`
  if (name === 'my-names')
    return html`<input type="text" name="value" value="${value}" maxlength="2000" autocomplete="name" ${told}>`
  const values = name === 'time-zone' ? zonesWith(value) : ['off', 'on']
  return html`<select name="value" ${told}>${values.map(
    each => html`<option value="${each}" ${each === value ? 'selected' : ''}>${shown(name, each)}</option>`,
  )}</select>`
}

function zonesWith(zone: string): string[] {
  return [...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])].sort()
}

function shown(name: OwnerSetting['name'], value: string): string {
  if (name === 'ledger-queries') return value === 'on' ? 'Shown' : 'Not shown'
  return name === 'time-zone' ? value.replaceAll('_', ' ') : value
}
