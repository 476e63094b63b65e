import { isObject, type JsonObject } from '../../model/json.ts'
import { quotedHead } from '../text/quote.ts'

const MOST_WARNINGS = 3
const MOST_BYTES = 200

/** The warnings in a response of any server, quoted. */
export function warningsOf({ meta }: JsonObject): string[] {
  const warnings = isObject(meta) && Array.isArray(meta.warnings) ? meta.warnings : []
  return warnings
    .slice(0, MOST_WARNINGS)
    .flatMap(one =>
      isObject(one) && typeof one.message === 'string' ? [quotedHead(one.message, MOST_BYTES)] : [],
    )
}
