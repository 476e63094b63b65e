import { CodedError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { checkedArguments } from './arguments.ts'
import { describeError, ProviderError } from './provider-error.ts'
import { visible } from './rendering/quote.ts'
import type { ResourceServerClient } from './resource-server-client.ts'
import type { Tool, ToolAnswer } from './tool.ts'

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

/** Tells of a failure that nobody foresaw; the caller gets no detail of it. */
export type Report = (error: unknown) => void

/** Runs a tool: its arguments are checked first, and whatever goes wrong becomes a typed error result (ER-1, ER-3). */
export async function callTool(
  tool: Tool,
  args: unknown,
  client: ResourceServerClient,
  report: Report,
): Promise<CallResult> {
  try {
    return resultOf(await tool.run(checkedArguments(tool, args), client))
  } catch (error) {
    return errorResult(typedError(error, report))
  }
}

export function typedError(error: unknown, report: Report): CodedError | ProviderError {
  if (error instanceof CodedError || error instanceof ProviderError) return error
  report(error)
  return new CodedError('internal_error', 'Something went wrong in the adapter. Try again, or ask for less.')
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

function errorResult(error: CodedError | ProviderError): CallResult {
  const text = visible(JSON.stringify({ error: describeError(error) }))
  return { content: [{ type: 'text', text }], isError: true }
}
