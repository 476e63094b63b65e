import { html } from 'hono/html'
import type { Html } from './layout.ts'

/** A name may be given several times if the fields are pairs. */
export function hidden(
  fields: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[],
): Html {
  const pairs = Array.isArray(fields) ? fields : Object.entries(fields)
  return html`<div hidden>${pairs.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}</div>`
}

export interface RadioChoice {
  value: string
  label: string
  hint?: string
}

export function radios(name: string, choices: readonly RadioChoice[], chosen: string): Html {
  return html`<div class="choices">${choices.map(
    ({ value, label, hint }) => html`<label class="choice">
<input type="radio" name="${name}" value="${value}" ${value === chosen ? 'checked' : ''}>
<span>${label}${hint ? html`<span class="hint">${hint}</span>` : ''}</span></label>`,
  )}</div>`
}

export interface Tick {
  value: string
  label: string
  checked: boolean
  /** Sent along whatever the owner does. */
  disabled?: boolean
  badge?: string
}

export function ticks(name: string, choices: readonly Tick[]): Html {
  return html`<div class="ticks">${choices.map(
    ({ value, label, checked, disabled, badge }) => html`<label>
<input type="checkbox" name="${name}" value="${value}" ${checked ? 'checked' : ''} ${disabled ? 'disabled' : ''}>
<span>${label}${badge ? html` <span class="badge warn">${badge}</span>` : ''}</span></label>`,
  )}</div>`
}

/** What the owner must know. What was just done or went wrong is read out at once. */
export function notice(kind: 'info' | 'good' | 'warn' | 'danger', message: Html | string): Html {
  const role = { info: '', good: html`role="status"`, warn: html`role="alert"`, danger: html`role="alert"` }[
    kind
  ]
  return html`<p class="notice ${kind === 'info' ? '' : kind}" ${role}>${message}</p>`
}

/** The page for a refused request: what happened, what to do, and the error code. */
export function refusal({
  title,
  message,
  code,
  request_id,
  next = '',
}: {
  title: string
  message: Html | string
  code: string
  request_id?: string
  /** Where to go from here. */
  next?: Html | ''
}): Html {
  return html`<div class="card stack"><h1>${title}</h1><p>${message}</p>${next}
<p class="soft small">Code: <code>${code}</code>${request_id === undefined ? '' : html`, request: <code>${request_id}</code>`}</p></div>`
}

export interface Option {
  value: string
  label: string
}

export function select(name: string, options: readonly Option[], chosen: string): Html {
  return html`<select name="${name}">${options.map(
    ({ value, label }) =>
      html`<option value="${value}" ${value === chosen ? 'selected' : ''}>${label}</option>`,
  )}</select>`
}
