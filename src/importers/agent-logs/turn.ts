import type { JsonObject } from '../../model/json.ts'

/** What a log records about a whole session. */
export interface Session {
  id: string
  folder: string | null
}

/** A message, tool call or tool result in a log. */
export interface Turn extends JsonObject {
  session: string
  role: string | null
  kind: 'message' | 'reasoning' | 'tool_call' | 'tool_result' | 'summary'
  text: string | null
  tool: string | null
  model: string | null
  created_at: string | null
  is_sidechain: boolean
  folder: string | null
  git_branch: string | null
  source_id: string | null
}
