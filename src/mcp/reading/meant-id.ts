import type { JsonObject } from '../../model/json.ts'
import { text } from '../arguments.ts'
import { ProviderError } from './provider-error.ts'

/** What models copy along with an id, and the passage of an id of `/mcp/research`. Takes linear time. */
const AROUND = /^id[:=]\s*|^[\s[(<"'`]+|(?<![\s\])>"'`.,;])[\s\])>"'`.,;]+$|#[^#]+@\d+$/g
/** A link as Markdown has it. */
const MARKDOWN = /^\s*\[[^\]]*\]\((.+)\)[\s.,;]*$/s
/** An id of this kind of server with other separators, such as the path of a link. */
const SEPARATED = /^(cin_[^/:]+)[/:]([^/:]+)[/:](.+)$/s

/** Arguments with the id as it was shown, if the given one only has more around it or other separators; else null. */
export function withMeantId(args: JsonObject): JsonObject | null {
  const id = text(args, 'id')
  if (id === undefined || /^\w+:\/\//.test(id)) return null
  const meant = id.replace(MARKDOWN, '$1').replace(AROUND, '').replace(SEPARATED, '$1/$2:$3')
  return meant === id || meant === '' ? null : { ...args, id: meant }
}

const ADVICE =
  'Pass an id exactly as search or query_records showed it: {connection_id}/{stream}:{record_id}. It is never made up.'

/** The refusal of an unknown record with what to do. It is the same whether the record is hidden or does not exist. */
export function withIdAdvice(error: unknown, args: JsonObject): unknown {
  if (!(error instanceof ProviderError) || error.code !== 'not_found' || args.id === undefined) return error
  const { status, code, message, details } = error
  return new ProviderError(status, { error: { ...details, code, message: `${message} ${ADVICE}` } })
}
