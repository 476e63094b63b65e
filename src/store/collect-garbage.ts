import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Above this many characters a line is large enough that its leftovers should not wait for the next collection. */
export const LARGE_CHARS = 8 * 1024 * 1024

/** Gives the memory of large leftovers back at once; an idle thread would keep it. */
export function collectGarbage(): void {
  collect()
}
