import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

export const CLAUDE_CODE = declareAgent('claude-code', 'Claude Code', 'claude_code_messages')
export const CODEX = declareAgent('codex', 'Codex', 'codex_messages')

/** The sessions with a coding agent: messages and tool calls. */
function declareAgent(key: string, name: string, stream: string): Declaration {
  return declareSource(key, name, [
    recordStream({
      name: stream,
      label: `Your sessions with ${name}`,
      detail: 'What you and the agent wrote, its tool calls with their results, the folder and the time.',
      required: ['session_id', 'position'],
      properties: {
        text: f.MARKDOWN_TEXT,
        session_title: f.CONVERSATION,
        session_id: f.STRING,
        role: f.ACTOR,
        kind: f.oneOf('message', 'reasoning', 'tool_call', 'tool_result', 'summary'),
        tool: f.TEXT,
        model: f.TEXT,
        created_at: f.EVENT_TIME,
        position: f.COUNT,
        is_sidechain: f.FLAG,
        folder: f.PLACE,
        git_branch: f.TEXT,
        source_id: f.TEXT,
      },
      conversation: { key: 'session_id', order: ['position'] },
      own: { role: 'user', kind: 'message' },
      time: 'created_at',
      views: {
        outline: {
          label: 'When you worked on what; no text',
          fields: ['session_title', 'session_id', 'role', 'kind', 'created_at', 'position', 'folder'],
        },
      },
      search: ['text', 'session_title', 'tool', 'folder'],
      ranges: ['created_at', 'position'],
      max: ['created_at', 'position'],
      group_by: ['role', 'kind', 'tool', 'model', 'folder', 'session_id', 'is_sidechain'],
      count_distinct: ['session_id', 'folder'],
    }),
  ])
}
