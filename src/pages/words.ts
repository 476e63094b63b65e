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
