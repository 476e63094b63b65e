import type { Warning } from '../../api/parameter.ts'
import { counted } from '../../model/amounts.ts'
import { isObject } from '../../model/json.ts'

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
export function warningWords({ code, message, param, detail }: Warning): string {
  const lacking = code === 'streams_left_out' ? LACKING[param ?? ''] : undefined
  const streams = isObject(detail) && typeof detail.streams === 'number' ? detail.streams : 0
  if (lacking === undefined || streams === 0) return message.replaceAll('readable ', '')
  return `${counted(streams, 'kind')} of records ${streams === 1 ? 'has' : 'have'} ${lacking} and ${streams === 1 ? 'is' : 'are'} left out.`
}
