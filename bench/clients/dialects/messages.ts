import type { ServerResponse } from 'node:http'
import type { Dialect, Loose } from '../scripted-model.ts'

const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [] }
const USAGE = { input_tokens: 1, output_tokens: 1 }

function stream(response: ServerResponse, block: object, deltas: object[], stop_reason: string): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const events = [
    { type: 'message_start', message: { ...MESSAGE, stop_reason: null, usage: USAGE } },
    { type: 'content_block_start', index: 0, content_block: block },
    ...deltas.map(delta => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: USAGE },
    { type: 'message_stop' },
  ]
  response.end(events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

/** The Messages API of Anthropic. */
export const MESSAGES: Dialect = {
  toolsOf: body => (body.tools ?? []).map(({ name }: Loose) => String(name)),
  resultOf(body, id) {
    const blocks: Loose[] = (body.messages ?? []).flatMap(({ content }: Loose) =>
      Array.isArray(content) ? content : [],
    )
    const found = blocks.find(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === id)
    if (!found) return null
    return typeof found.content === 'string' ? found.content : JSON.stringify(found.content)
  },
  writeCall(response, { id, name, args }) {
    const input = { type: 'input_json_delta', partial_json: JSON.stringify(args) }
    stream(response, { type: 'tool_use', id, name, input: {} }, [input], 'tool_use')
  },
  writeEnd(response) {
    stream(response, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'Done.' }], 'end_turn')
  },
}
