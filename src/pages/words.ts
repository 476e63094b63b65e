/** `received_at` as people read it: Received at. */
export function humanName(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase()
  const spelled = words.replace(/\b(?:id|url|uri|ip|html|json)\b/g, word => word.toUpperCase())
  return spelled === '' ? name : spelled.charAt(0).toUpperCase() + spelled.slice(1)
}

export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`
}

/** 15 November 2026, in UTC. */
export function dayText(instant: string): string {
  const day = new Date(instant)
  if (Number.isNaN(day.getTime())) return instant
  return day.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}

export function listed(items: readonly string[], most = 12): string {
  const shown = items.slice(0, most).join(', ')
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}

/** `2026-11` as November 2026. */
export function monthText(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

/** 15 November 2026, 09:30 UTC. Midnight is what a date without a time becomes. */
export function timeText(instant: string): string {
  const day = dayText(instant)
  return day === instant || /T00:00:00(?:\.0+)?Z$/.test(instant)
    ? day
    : `${day}, ${new Date(instant).toISOString().slice(11, 16)} UTC`
}

/** How long ago, or the day when that was long ago. */
export function agoText(instant: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(instant)) / 60_000)
  if (!(minutes < 7 * 24 * 60)) return `on ${dayText(instant)}`
  if (minutes < 2) return 'just now'
  if (minutes < 120) return `${minutes} minutes ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} hours ago`
  return `${Math.floor(minutes / 60 / 24)} days ago`
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
