import { type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { instantIn, objectIn, textIn } from '../reading/json-values.ts'
import type { Session, Turn } from './turn.ts'

export function isClaudeCode(line: JsonObject): boolean {
  return typeof line.sessionId === 'string' && typeof line.uuid === 'string' && 'parentUuid' in line
}

/** Parses a line of a session file; null for lines that only hold the program's state. */
export function claudeCodeTurn(line: JsonObject, session: Session): Turn | null {
  if (line.type === 'summary') return turn(line, session, 'summary', textIn(line.summary), null)
  if (line.type === 'system') return turn(line, session, 'message', textIn(line.content), null)
  if (line.type !== 'user' && line.type !== 'assistant') return null
  const message = objectIn(line.message)
  const blocks = objectsIn(message.content)
  const plain = textIn(message.content)
  if (plain !== null) return turn(line, session, 'message', plain, null)
  const said = blocks.flatMap(block => (block.type === 'text' ? (textIn(block.text) ?? []) : []))
  const calls = blocks.filter(({ type }) => type === 'tool_use')
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const thoughts = blocks.flatMap(({ thinking }) => textIn(thinking) ?? [])
  const parts = [
    ...said,
    ...calls.map(call => `${textIn(call.name) ?? 'tool'} ${JSON.stringify(call.input ?? {})}`),
    ...results.map(result => resultText(result.content)),
  ]
  if (parts.length === 0)
    return thoughts.length === 0 ? null : turn(line, session, 'reasoning', thoughts.join('\n\n'), null)
  const kind = said.length > 0 ? 'message' : calls.length > 0 ? 'tool_call' : 'tool_result'
  const text = parts.filter(part => part !== '').join('\n\n')
  return turn(line, session, kind, textIn(text), textIn(calls[0]?.name))
}

function turn(
  line: JsonObject,
  session: Session,
  kind: Turn['kind'],
  text: string | null,
  tool: string | null,
): Turn {
  return {
    session: textIn(line.sessionId) ?? session.id,
    role: textIn(objectIn(line.message).role) ?? textIn(line.type),
    kind,
    text,
    tool,
    model: textIn(objectIn(line.message).model),
    created_at: instantIn(line.timestamp),
    is_sidechain: line.isSidechain === true,
    folder: textIn(line.cwd),
    git_branch: textIn(line.gitBranch),
    source_id: textIn(line.uuid),
  }
}

function resultText(content: Json | undefined): string {
  return (
    textIn(content) ??
    objectsIn(content)
      .flatMap(({ text }) => textIn(text) ?? [])
      .join('\n')
  )
}
