import { type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { instantIn, objectIn, textIn } from '../reading/json-values.ts'
import type { Session, Turn } from './turn.ts'

const ITEMS = [
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]

export function isCodex(line: JsonObject): boolean {
  if (line.type === 'session_meta') return typeof objectIn(line.payload).id === 'string'
  if (line.type === 'response_item') return ITEMS.some(item => item === objectIn(line.payload).type)
  return typeof line.id === 'string' && 'instructions' in line && typeof line.timestamp === 'string'
}

export function sessionIn(lines: readonly JsonObject[]): Session | null {
  for (const line of lines) {
    const meta = line.type === 'session_meta' ? objectIn(line.payload) : 'instructions' in line ? line : {}
    if (typeof meta.id === 'string') return { id: meta.id, folder: textIn(meta.cwd) }
  }
  return null
}

/** Parses a line of a rollout file; null for events that repeat the content of other lines. */
export function codexTurn(line: JsonObject, session: Session): Turn | null {
  const item = line.type === 'response_item' ? objectIn(line.payload) : line
  const created_at = instantIn(line.timestamp)
  const turn = (
    kind: Turn['kind'],
    role: string | null,
    text: string | null,
    tool: string | null = null,
  ): Turn => ({
    session: session.id,
    role,
    kind,
    text,
    tool,
    model: null,
    created_at,
    is_sidechain: false,
    folder: session.folder,
    git_branch: null,
    source_id: null,
  })
  switch (item.type) {
    case 'message':
      return turn('message', textIn(item.role), textOf(item.content))
    case 'reasoning': {
      const text = [textOf(item.summary), textOf(item.content)].filter(part => part !== null).join('\n\n')
      return text === '' ? null : turn('reasoning', 'assistant', text)
    }
    case 'function_call':
    case 'custom_tool_call':
      return turn('tool_call', 'assistant', textIn(item.arguments) ?? textIn(item.input), textIn(item.name))
    case 'function_call_output':
    case 'custom_tool_call_output':
      return turn('tool_result', 'tool', textIn(item.output) ?? textIn(objectIn(item.output).content))
    default:
      return null
  }
}

function textOf(content: Json | undefined): string | null {
  const parts = objectsIn(content).flatMap(({ text }) => textIn(text) ?? [])
  return textIn(content) ?? textIn(parts.join('\n'))
}
