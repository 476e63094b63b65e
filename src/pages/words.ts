import { counted } from '../model/amounts.ts'
/** `received_at` as people read it: Received at. A flag such as `is_starred` is named after what it says: Starred. */
export function humanName(name: string): string {
  const words = (TITLES[name] ?? name)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase()
    .replace(/^is (?=.)/, '')
    .replace(/ at local$/, ' at, local time')
  const spelled = words.replace(
    /\b(id|url|uri|ip|html|json|gpt|pdf)(s?)\b/g,
    (_, short: string, plural: string) => short.toUpperCase() + plural,
  )
  return spelled === '' ? name : spelled.charAt(0).toUpperCase() + spelled.slice(1)
}

/** Names of fields that say too little without their records. */
const TITLES: Readonly<Record<string, string>> = { time_from: 'time taken from' }

/** Fields with the ids last: they tell people nothing. */
export function idsLast<Field>(fields: readonly Field[], nameOf: (field: Field) => string): Field[] {
  return [...Map.groupBy(fields, field => (ID.test(nameOf(field)) ? 1 : 0))]
    .sort(([a], [b]) => a - b)
    .flatMap(([, own]) => own)
}

const ID = /(?:^|_)ids?$/

// Creating a format takes a hundred times as long as using one, and a page has hundreds of days.
const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** `2026-11-15` as 15 November 2026. */
export function dayText(date: string): string {
  const day = new Date(date)
  if (Number.isNaN(day.getTime())) return date
  return DAY.format(day)
}

export function listed(items: readonly string[], most = 12): string {
  const shown = items.slice(0, most).join(', ')
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}

/** `2026-11` as November 2026. */
export function monthText(month: string): string {
  const first = new Date(`${month}-01T00:00:00Z`)
  return Number.isNaN(first.getTime()) ? month : MONTH.format(first)
}

/** A, B and C. */
export function joined(items: readonly string[], most = 4): string {
  const shown = items.length > most ? [...items.slice(0, most - 1), `${items.length - most + 1} more`] : items
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, 'byte')
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1_000 ** power).toLocaleString('en-GB', { maximumFractionDigits: 1 })} ${units[power - 1]}`
}

/** Words that begin a label and are not names. */
const ORDINARY = /^(?:Your|What|Who|Which|When|Where|People|The|All)\b/

/** A label in the middle of a sentence: your e-mail. */
export function inSentence(label: string): string {
  return label.replace(ORDINARY, word => word.toLowerCase())
}
