import { CodedError, internalError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { checkedArguments, withFilterAsOperators } from '../arguments.ts'
import { withDatesInFilter } from '../reading/dates-in-filter.ts'
import { withOnlyStream } from '../reading/every-stream.ts'
import { withMeantFields } from '../reading/meant-fields.ts'
import { withIdAdvice, withMeantId } from '../reading/meant-id.ts'
import { withMeantStreams } from '../reading/meant-sources.ts'
import { describeError, ProviderError } from '../reading/provider-error.ts'
import type { ResourceServerClient } from '../reading/resource-server-client.ts'
import { visible } from '../text/quote.ts'
import type { ResourceLink, Tool, ToolAnswer } from '../tool.ts'

export interface CallResult {
  [key: string]: unknown
  content: ({ type: 'text'; text: string } | ({ type: 'resource_link' } & ResourceLink))[]
  structuredContent?: JsonObject
  isError?: boolean
  _meta?: JsonObject
}

/** Reports an unexpected failure. Returns the request id, which is all that the caller gets. */
export type Report = (error: unknown) => string

/** Runs a tool: its arguments are checked first, and every failure becomes a typed error result (ER-1, ER-3). */
export async function callTool<Other = never>(
  tool: Tool,
  args: unknown,
  client: ResourceServerClient,
  report: Report,
  /** What to return in place of a refusal; null to return the refusal itself. */
  instead: (error: CodedError | ProviderError) => Other | null = () => null,
): Promise<CallResult | Other> {
  try {
    return resultOf(await runAsMeant(tool, checkedArguments(tool, args), client))
  } catch (error) {
    const typed = asNamedIn(tool, typedError(error, report))
    return instead(typed) ?? errorResult(typed)
  }
}

/** The refusals of a name that is not a field. */
const NO_FIELD: readonly string[] = [
  'unknown_field',
  'field_not_granted',
  'field_not_found',
  'invalid_request',
]

/** The refusals of an id that names no readable record. */
const NO_RECORD: readonly string[] = [
  'not_found',
  'connection_not_found',
  'grant_stream_not_allowed',
  'invalid_result_id',
]

/** The parameters that refusals name if a stream has to be named. */
const NEEDS_STREAM = ['stream', 'streams'] as const

/** Names of streams, of fields, and an id. */
const MOST_CORRECTIONS = 3

/** Only a call that was refused costs a look at what it may have meant. */
async function runAsMeant(tool: Tool, args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  let meant = args
  let first: CodedError | ProviderError | undefined
  for (let corrections = 0; ; corrections++) {
    try {
      return await tool.run(await withDatesInFilter(meant, client), client)
    } catch (error) {
      if (!isTyped(error)) throw error
      // A record that is not there is refused by the id as given.
      const refusal = first && isNoRecord(first) && isNoRecord(error) ? first : error
      first ??= error
      const next =
        corrections < MOST_CORRECTIONS
          ? await meantArguments(error, tool, meant, client).catch(() => null)
          : null
      if (next === null) throw withIdAdvice(refusal, args)
      meant = next
    }
  }
}

function isTyped(error: unknown): error is CodedError | ProviderError {
  return error instanceof CodedError || error instanceof ProviderError
}

function isNoRecord({ code }: CodedError | ProviderError): boolean {
  return NO_RECORD.includes(code)
}

async function meantArguments(
  error: CodedError | ProviderError,
  tool: Tool,
  args: JsonObject,
  client: ResourceServerClient,
): Promise<JsonObject | null> {
  const isMadeHere = error instanceof CodedError
  if (isNoRecord(error)) {
    const meant = await withMeantId(args, client)
    return meant ?? (isMadeHere ? null : withMeantStreams(args, client))
  }
  const needed = NEEDS_STREAM.find(name => name === error.details.param)
  if (needed !== undefined)
    return (await withOnlyStream(args, client, needed)) ?? withFilterAsOperators(args, tool)
  return !isMadeHere && NO_FIELD.includes(error.code) ? withMeantFields(args, client) : null
}

/** A refusal that names an argument of the tool where the resource server has another name for it. */
function asNamedIn({ input }: Tool, error: CodedError | ProviderError): CodedError | ProviderError {
  if (error instanceof CodedError) return error
  const { param } = error.details
  const own = param === 'q' ? 'query' : /^where\[/.test(String(param)) ? 'filter' : undefined
  if (own === undefined || !Object.hasOwn(input.properties, own)) return error
  const { status, code, message, details } = error
  return new ProviderError(status, { error: { ...details, code, message, param: own } })
}

export function typedError(error: unknown, report: Report): CodedError | ProviderError {
  if (isTyped(error)) return error
  return internalError({ request_id: report(error) })
}

function resultOf({ text, structured, links, meta }: ToolAnswer): CallResult {
  return {
    content: [
      { type: 'text', text },
      ...(links ?? []).map(link => ({ type: 'resource_link' as const, ...link })),
    ],
    structuredContent: structured,
    ...(meta ? { _meta: meta } : {}),
  }
}

/** Starts with a sentence: a host that takes pure JSON for structured content would lose the error. */
function errorResult(error: CodedError | ProviderError): CallResult {
  const told = describeError(error)
  const text = `${visible(`${told.code}: ${told.message}`)} ${visible(JSON.stringify({ error: told }))}`
  return { content: [{ type: 'text', text }], isError: true }
}
