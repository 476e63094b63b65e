import { html } from 'hono/html'
import type { Warning } from '../../api/parameter.ts'
import { counted } from '../../model/amounts.ts'
import { isObject } from '../../model/json.ts'
import type { Html } from '../../pages/layout.ts'

/** What kinds of records lack that are left out, by the parameter that leaves them out. */
const LACKING: Readonly<Record<string, string>> = {
  since: 'no date',
  until: 'no date',
  order: 'no date',
  person: 'no people',
  from: 'no sender',
  to: 'no recipient',
  with: 'no people',
  in: 'no place',
  has: 'no files',
  type: 'no files',
}

/** A warning of the server as its owner reads it: of kinds of records instead of streams, all of which are readable. */
export function warningWords({ code, message, param, detail }: Warning): Html | string {
  const { streams: given, own_names, instead } = isObject(detail) ? detail : {}
  if (code === 'time_not_found' && typeof instead === 'string') {
    const path = `/search?${new URLSearchParams({ q: instead })}`
    return html`None of these is from ${instead.slice('on:'.length).replaceAll('"', '')}. <a href="${path}">Show what is</a>`
  }
  const lacking = code === 'streams_left_out' ? LACKING[param ?? ''] : undefined
  const streams = typeof given === 'number' ? given : 0
  if (own_names === false)
    return html`${counted(streams, 'kind')} of records ${streams === 1 ? 'does' : 'do'} not say what you wrote. <a href="/settings/server#my-names">Enter your names</a> to find it there too.`
  if (lacking === undefined || streams === 0) return message.replaceAll('readable ', '')
  return `${counted(streams, 'kind')} of records ${streams === 1 ? 'has' : 'have'} ${lacking} and ${streams === 1 ? 'is' : 'are'} left out.`
}
