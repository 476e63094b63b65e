import type { ServerResponse } from 'node:http'
import type { Dialect, Loose } from '../scripted-model.ts'

function stream(response: ServerResponse, delta: object, finish_reason: string): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const chunk = (choice: object) => ({
    id: 'chat_1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, ...choice }],
  })
  const chunks = [
    chunk({ delta: { role: 'assistant', ...delta }, finish_reason: null }),
    chunk({ delta: {}, finish_reason }),
  ]
  response.end(`${chunks.map(each => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`)
}

/** The Chat Completions API, which most programs use. */
export const CHAT: Dialect = {
  toolsOf: body => (body.tools ?? []).map((tool: Loose) => String(tool.function?.name)),
  resultOf(body, id) {
    const messages: Loose[] = body.messages ?? []
    const found = messages.find(({ role, tool_call_id }) => role === 'tool' && tool_call_id === id)
    if (!found) return null
    return typeof found.content === 'string' ? found.content : JSON.stringify(found.content)
  },
  writeCall(response, { id, name, args }) {
    const call = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
    stream(response, { tool_calls: [call] }, 'tool_calls')
  },
  writeEnd: response => stream(response, { content: 'Done.' }, 'stop'),
}
