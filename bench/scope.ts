import { SINCE, UNTIL } from './mail.ts'
import type { Rig } from './rig.ts'

/** The grant's bounds as stored in the typed time column. */
const SINCE_KEY = keyOf(SINCE)
export const UNTIL_KEY = keyOf(UNTIL)

function keyOf(time: string): string {
  return `t${time.replace('Z', '.000000000Z')}`
}

/** The grant's predicate as the floor takes it. */
export function scopeQuery({ connections: [a, b] }: Rig): string {
  return `a=${a}&b=${b}&since=${SINCE_KEY}&until=${UNTIL_KEY}`
}
