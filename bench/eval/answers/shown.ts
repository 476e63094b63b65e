import { TimeZone } from '../../../src/model/time.ts'
import type { ShownRecord } from './channel.ts'
import type { Expected } from './facts.ts'
import { OWNER_ZONE } from './world.ts'

const zone = new TimeZone(OWNER_ZONE)

/** What a record does not show of the expected; null if it shows everything. */
export function missingOf({ id, shown }: ShownRecord, { words, author, at }: Expected): string | null {
  if (words !== undefined && !shown.includes(words)) return `${id} does not say "${words}"`
  if (author !== undefined && !shown.includes(author)) return `${id} does not name ${author}`
  return at === undefined || showsTime(shown, at) ? null : `${id} does not show ${at}`
}

/** Whether a text shows an instant, or the owner's day of it. */
function showsTime(shown: string, at: string): boolean {
  const instant = Date.parse(at)
  const times = shown.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g) ?? []
  const toTheSecond = (time: number) => Math.floor(time / 1_000)
  if (times.some(time => toTheSecond(Date.parse(time)) === toTheSecond(instant))) return true
  return new RegExp(`\\b${zone.dayOf(instant)}(?!T)`).test(shown)
}
