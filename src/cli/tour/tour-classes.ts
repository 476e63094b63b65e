import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { McpCaller, McpResult, ToolCall } from './mcp-caller.ts'

/** One call of a journey, and which part of its result reached the model. */
export interface Step {
  call: string
  /** What the model sees, unchanged. */
  seen: string
  /** The text of the record in it; empty for a search. */
  window: string
}

/** A kind of client: what it sees of a result, and how it continues from there. */
export interface ClientClass {
  name: string
  hosts: string
  sees: string
  journey(caller: McpCaller, query: string): Promise<Step[]>
}

const CLIPPED_CHARS = 1_000
const CLIPPED_LIMIT = 500

const textOf = (result: McpResult) => (result.content ?? []).map(block => block.text ?? '').join('\n')
const jsonOf = (result: McpResult) => JSON.stringify(result.structuredContent ?? {})
const clipped = (text: string) => Array.from(text).slice(0, CLIPPED_CHARS).join('')
const written = ({ tool, args }: ToolCall) => `${tool} ${JSON.stringify(args)}`

/** Every class of client that results are designed for. */
export const CLIENT_CLASSES: readonly ClientClass[] = [
  {
    name: 'content-only',
    hosts: 'Gemini CLI, OpenCode',
    sees: 'the text of a result',
    journey: (caller, query) =>
      follow(caller, query, { see: textOf, next: callInText, window: fencedIn, cursor: cursorIn }),
  },
  {
    name: 'structured-only',
    hosts: 'Claude Code, Codex',
    sees: 'structured content as JSON',
    journey: (caller, query) =>
      follow(caller, query, {
        see: jsonOf,
        next: seen => callAt(JSON.parse(seen), ['results', '0', 'next']),
        window: seen => textAt(JSON.parse(seen), ['window', 'text']),
        cursor: cursorIn,
      }),
  },
  {
    name: 'structured-aware',
    hosts: 'programs on the SDK',
    sees: 'the content ladder of structured content',
    journey: (caller, query) =>
      follow(caller, query, {
        see: jsonOf,
        next: seen => callAt(JSON.parse(seen), ['content_ladder', 'records', '0', 'fields', '0', 'read']),
        window: seen => textAt(JSON.parse(seen), ['window', 'text']),
        cursor: cursorIn,
      }),
  },
  {
    name: 'resource-aware',
    hosts: 'hosts that read resources',
    sees: 'the addresses next to a result',
    journey: byResources,
  },
  {
    name: 'clipping',
    hosts: 'hosts that cut results',
    sees: `the first ${CLIPPED_CHARS} characters of a text`,
    journey: (caller, query) =>
      follow(caller, query, {
        see: result => clipped(textOf(result)),
        next: seen => {
          const call = callInText(seen)
          return call && { ...call, args: { ...call.args, limit_chars: CLIPPED_LIMIT } }
        },
        window: fencedIn,
        cursor: cursorIn,
      }),
  },
]

interface Eyes {
  see(result: McpResult): string
  next(seen: string): ToolCall | null
  window(seen: string): string
  cursor(seen: string): string | null
}

/** A search, the call that the first hit names, and the next window. */
async function follow(caller: McpCaller, query: string, eyes: Eyes): Promise<Step[]> {
  const search: ToolCall = { tool: 'search', args: { query } }
  const found = eyes.see(await caller.callTool(search))
  const steps: Step[] = [{ call: written(search), seen: found, window: '' }]
  const read = eyes.next(found)
  if (!read) return steps
  const first = eyes.see(await caller.callTool(read))
  steps.push({ call: written(read), seen: first, window: eyes.window(first) })
  const cursor = eyes.cursor(first)
  if (cursor === null) return steps
  const { offset_chars: _, ...same } = read.args
  const further = { ...read, args: { ...same, cursor } }
  const second = eyes.see(await caller.callTool(further))
  steps.push({ call: written(further), seen: second, window: eyes.window(second) })
  return steps
}

async function byResources(caller: McpCaller, query: string): Promise<Step[]> {
  const search: ToolCall = { tool: 'search', args: { query } }
  const found = await caller.callTool(search)
  const steps: Step[] = [{ call: written(search), seen: jsonOf(found), window: '' }]
  const read = callAt(found.structuredContent ?? null, ['results', '0', 'next'])
  if (!read) return steps
  const first = await caller.callTool(read)
  steps.push({
    call: written(read),
    seen: jsonOf(first),
    window: textAt(first.structuredContent ?? null, ['window', 'text']),
  })
  const uri = textAt(first._meta ?? null, ['footnote/window', 'next_uri'])
  if (uri === '') return steps
  const [content] = (await caller.readResource(uri)).contents ?? []
  const text = content?.text ?? ''
  steps.push({ call: `resources/read ${uri}`, seen: text, window: text })
  return steps
}

function callInText(seen: string): ToolCall | null {
  const [, tool, args] = /\b(read_record_field|fetch) (\{.*?\})(?=\)|$|\n)/m.exec(seen) ?? []
  return tool === undefined || args === undefined ? null : { tool, args: JSON.parse(args) }
}

function fencedIn(seen: string): string {
  return /<<<(\w+)\n([\s\S]*?)(?:\n\1>>>|$)/.exec(seen)?.[2] ?? ''
}

function cursorIn(seen: string): string | null {
  return /"next_cursor":"([^"]+)"/.exec(seen)?.[1] ?? null
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)]
    return isObject(inner) ? inner[key] : undefined
  }, value)
}

function textAt(value: Json, path: readonly string[]): string {
  const found = valueAt(value, path)
  return typeof found === 'string' ? found : ''
}

function callAt(value: Json, path: readonly string[]): ToolCall | null {
  const found = valueAt(value, path)
  if (!isObject(found) || typeof found.tool !== 'string' || !isObject(found.args)) return null
  return { tool: found.tool, args: found.args as JsonObject }
}
