import { sliceCodePoints } from '../../model/text/code-points.ts'
import type { OwnServer } from '../own-server.ts'
import { cut, oneLine } from '../terminal/terminal.ts'
import { withCaller } from './mcp-caller.ts'

/** A search with its evidence, the window behind it and its citation, read through MCP with a temporary grant. */
interface FirstAnswer {
  query: string
  id: string
  field_path: string
  start_chars: number
  end_chars: number
  size_chars: number
  before: string
  match: string
  after: string
  call: string
  window: string
  url: string
}

const CLIENT_NAME = 'footnote start'
const AROUND_CHARS = 60
const WINDOW_CHARS = 320

interface Result {
  id: string
  url: string
  field_path: string
  start_chars: number
  end_chars: number
}

export function firstAnswer(own: OwnServer, query: string): Promise<FirstAnswer | null> {
  return withCaller(own, CLIENT_NAME, async caller => {
    const found = await caller.callTool({ tool: 'search', args: { query } })
    const [result] = (found.structuredContent as unknown as { results: Result[] }).results
    if (!result?.field_path) return null
    const { id, url, field_path, start_chars, end_chars } = result
    const offset_chars = Math.max(0, start_chars - Math.floor(WINDOW_CHARS / 2))
    const args = { id, field_path, offset_chars, limit_chars: WINDOW_CHARS + end_chars - start_chars }
    const read = await caller.callTool({ tool: 'read_record_field', args })
    const { window, field } = read.structuredContent as unknown as {
      window: { text: string; start_chars: number }
      field: { size_chars: number }
    }
    const at = (from: number, to: number) =>
      oneLine(sliceCodePoints(window.text, from - window.start_chars, to - window.start_chars))
    return {
      query,
      id,
      field_path,
      start_chars,
      end_chars,
      size_chars: field.size_chars,
      before: `…${at(Math.max(window.start_chars, start_chars - AROUND_CHARS), start_chars)}`,
      match: at(start_chars, end_chars),
      after: `${at(end_chars, end_chars + AROUND_CHARS)}…`,
      call: `read_record_field ${JSON.stringify(args)}`,
      window: cut(oneLine(window.text), 2 * WINDOW_CHARS),
      url,
    }
  })
}
