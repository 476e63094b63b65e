import type { Declaration } from '../../model/declaration/declaration.ts'
import { ANY_RANGE, COUNT, FLAG, TEXT, TIME } from '../field-types.ts'
import { declareSource } from '../own-source.ts'

export const CLAUDE_CODE = declareAgent('claude-code', 'Claude Code', 'claude_code_messages')
export const CODEX = declareAgent('codex', 'Codex', 'codex_messages')

/** The sessions with a coding agent: what was said, and what tools did. */
function declareAgent(key: string, name: string, stream: string): Declaration {
  return declareSource(key, name, [
    {
      name: stream,
      semantics: 'mutable_state',
      display: {
        label: `Your sessions with ${name}`,
        detail: 'What you and the agent wrote, its tool calls with their results, the folder and the time.',
      },
      schema: {
        type: 'object',
        required: ['id', 'session_id', 'position'],
        properties: {
          id: { type: 'string' },
          text: { ...TEXT, contentMediaType: 'text/markdown', x_pdpp_role: 'primary-text' },
          session_title: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
          session_id: { type: 'string' },
          role: { ...TEXT, x_pdpp_role: 'actor' },
          kind: { enum: ['message', 'reasoning', 'tool_call', 'tool_result', 'summary'], type: 'string' },
          tool: TEXT,
          model: TEXT,
          created_at: { ...TIME, x_pdpp_role: 'event-time' },
          position: COUNT,
          is_sidechain: FLAG,
          folder: { ...TEXT, x_pdpp_role: 'place' },
          git_branch: TEXT,
          source_id: TEXT,
        },
        x_pdpp_conversation: { key: 'session_id', order: ['position'] },
      },
      primary_key: ['id'],
      cursor_field: 'created_at',
      consent_time_field: 'created_at',
      selection: { fields: true, resources: true },
      views: [
        {
          id: 'outline',
          label: 'When you worked on what; no text',
          fields: ['id', 'session_title', 'session_id', 'role', 'kind', 'created_at', 'position', 'folder'],
        },
      ],
      query: {
        search: { lexical_fields: ['text', 'session_title', 'tool', 'folder'] },
        range_filters: { created_at: ANY_RANGE, position: ANY_RANGE },
        aggregations: {
          count: true,
          min: ['created_at'],
          max: ['created_at', 'position'],
          group_by: ['role', 'kind', 'tool', 'model', 'folder', 'session_id', 'is_sidechain'],
          group_by_time: ['created_at'],
          count_distinct: ['session_id', 'folder'],
        },
      },
    },
  ])
}
