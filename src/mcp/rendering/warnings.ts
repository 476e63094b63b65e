import { isObject, type JsonObject, objectsIn } from '../../model/json.ts'
import { quotedHead } from '../text/quote.ts'

const MOST_WARNINGS = 3
const MOST_BYTES = 200

/** What an answer answers. */
export interface Answered {
  args: JsonObject
  /** Whether nothing was found. */
  isEmpty: boolean
}

/** The warnings in a response of any server, quoted. */
export function warningsOf({ meta }: JsonObject, answered: Answered): string[] {
  return objectsIn(isObject(meta) ? meta.warnings : [])
    .filter(warning => concerns(warning, answered))
    .slice(0, MOST_WARNINGS)
    .flatMap(({ message }) => (typeof message === 'string' ? [quotedHead(message, MOST_BYTES)] : []))
}

/** The arguments that choose streams. */
const CHOOSING = ['stream', 'streams', 'connector', 'connection_id']

/**
 * Whether a warning says something about this answer. That some streams lack a field is so in nearly every call: it is
 * only told if nothing was found, if sources were chosen, or if the owner can change it.
 */
export function concerns({ code, detail }: JsonObject, { args, isEmpty }: Answered): boolean {
  const isChangeable = isObject(detail) && detail.own_names === false
  return code !== 'streams_left_out' || isEmpty || isChangeable || CHOOSING.some(name => args[name] != null)
}
