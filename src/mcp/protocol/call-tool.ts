import { CodedError, internalError } from '../../model/errors.ts'
import { namedBy } from '../../model/ids/citation.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { fold } from '../../model/text/fold.ts'
import { checkedArguments, text, texts } from '../arguments.ts'
import { declaredStreams } from '../reading/declared-streams.ts'
import { withIdAdvice, withMeantId } from '../reading/meant-id.ts'
import { describeError, ProviderError } from '../reading/provider-error.ts'
import type { ResourceServerClient } from '../reading/resource-server-client.ts'
import { visible } from '../text/quote.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

export interface CallResult {
  [key: string]: unknown
  content: (
    | { type: 'text'; text: string }
    | { type: 'resource_link'; uri: string; name: string; mimeType?: string; size?: number }
  )[]
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
    const typed = typedError(error, report)
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

/** Only a call that was refused costs a look at what it may have meant. */
async function runAsMeant(tool: Tool, args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  try {
    return await tool.run(args, client)
  } catch (error) {
    const meant = await meantArguments(error, args, client).catch(() => null)
    if (meant === null) throw withIdAdvice(error, args)
    return await tool.run(meant, client).catch(again => {
      throw isNoRecord(error) && isNoRecord(again) ? withIdAdvice(error, args) : again
    })
  }
}

function isNoRecord(error: unknown): boolean {
  const isTyped = error instanceof CodedError || error instanceof ProviderError
  return isTyped && NO_RECORD.includes(error.code)
}

async function meantArguments(
  error: unknown,
  args: JsonObject,
  client: ResourceServerClient,
): Promise<JsonObject | null> {
  if (isNoRecord(error)) return withMeantId(args)
  const isRefused = error instanceof ProviderError && NO_FIELD.includes(error.code)
  return isRefused ? withMeantFields(args, client) : null
}

export function typedError(error: unknown, report: Report): CodedError | ProviderError {
  if (error instanceof CodedError || error instanceof ProviderError) return error
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

const NAMES = ['field', 'field_path', 'group_by', 'group_by_time', 'split_by']

/**
 * Arguments with fields as the schema writes them: in other capitals, if only one field is meant, and from a list that
 * was sent as one text. Null if that changes nothing.
 */
async function withMeantFields(args: JsonObject, client: ResourceServerClient): Promise<JsonObject | null> {
  const { fields, filter } = args
  const names = NAMES.filter(name => typeof args[name] === 'string')
  if (names.length === 0 && !Array.isArray(fields) && !isObject(filter)) return null
  const known = await readableFields(client, streamOf(args, client))
  const meant = (name: string) => meantBy(name, known)
  const changed: JsonObject = {
    ...args,
    ...Object.fromEntries(names.map(name => [name, meant(String(args[name]))])),
    ...(Array.isArray(fields) && { fields: fields.flatMap(each => listed(String(each), known).map(meant)) }),
    ...(isObject(filter) && {
      filter: Object.fromEntries(Object.entries(filter).map(([name, each]) => [meant(name), each])),
    }),
  }
  const isLost = isObject(filter) && Object.keys(changed.filter ?? {}).length < Object.keys(filter).length
  return isLost || JSON.stringify(changed) === JSON.stringify(args) ? null : changed
}

function meantBy(name: string, known: ReadonlySet<string>): string {
  if (known.has(name)) return name
  const [only = name, ...others] = [...known].filter(each => fold(each) === fold(name))
  return others.length === 0 ? only : name
}

/** The names in a text; a name may itself contain a comma. */
function listed(text: string, known: ReadonlySet<string>): string[] {
  if (known.has(meantBy(text, known))) return [text]
  const names = text.split(',').map(name => name.trim())
  return names.some(name => name !== '') ? names.filter(name => name !== '') : [text]
}

function streamOf(args: JsonObject, { provider }: ResourceServerClient): string | undefined {
  const id = text(args, 'id')
  if (id !== undefined) return namedBy(id, text(args, 'connection_id'), provider.url).stream
  return text(args, 'stream') ?? texts(args, 'streams')?.[0]
}

/** The fields of a stream that can be read, or of all streams. */
async function readableFields(
  client: ResourceServerClient,
  stream: string | undefined,
): Promise<ReadonlySet<string>> {
  const { streams } = await declaredStreams(client, { view: 'compact', stream })
  const described = Array.isArray(streams) ? streams.filter(isObject) : []
  return new Set(
    described.flatMap(({ fields, schema }) => {
      const declared = fields ?? (isObject(schema) ? schema.properties : null)
      return isObject(declared) ? Object.keys(declared) : []
    }),
  )
}
