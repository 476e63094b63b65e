/** The month of a time key as the index has it: `202511`. */
export function monthOf(time_key: string): string {
  return time_key.slice(1, 5) + time_key.slice(6, 8)
}

const FIRST = '000001'
const LAST = '999912'

/** The fewest beginnings of months that cover a range of time keys, open on a side where that is null. */
export function timeBeginnings(since: string | null, until: string | null): string[] {
  const [from, to] = [since === null ? FIRST : monthOf(since), until === null ? LAST : monthOf(until)]
  const found: string[] = []
  const cover = (beginning: string) => {
    const [low, high] = [beginning.padEnd(6, '0'), beginning.padEnd(6, '9')]
    if (high < from || low > to) return
    if ((low >= from && high <= to) || beginning.length === 6) found.push(beginning)
    else for (const digit of '0123456789') cover(beginning + digit)
  }
  for (const digit of '0123456789') cover(digit)
  return found.filter(
    beginning => beginning.length < 6 || (beginning.slice(4) >= '01' && beginning.slice(4) <= '12'),
  )
}
