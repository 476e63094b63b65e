import type { ServerResponse } from 'node:http'
import type { Dialect, Loose } from '../scripted-model.ts'

const USAGE = {
  input_tokens: 1,
  input_tokens_details: null,
  output_tokens: 1,
  output_tokens_details: null,
  total_tokens: 2,
}

export function stream(response: ServerResponse, item: object): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const events = [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', item },
    { type: 'response.completed', response: { id: 'resp_1', usage: USAGE } },
  ]
  response.end(events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

export function itemsOf(body: Loose): Loose[] {
  return Array.isArray(body.input) ? body.input : []
}

export function textOf(output: Loose): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}

/** The Responses API of OpenAI. Tools may come in namespaces, whose name then goes with each call. */
export const RESPONSES: Dialect = {
  toolsOf: body =>
    (body.tools ?? []).flatMap(({ name, tools }: Loose) =>
      Array.isArray(tools) ? tools.map((tool: Loose) => `${name} ${tool.name}`) : [String(name)],
    ),
  resultOf(body, id) {
    const found = itemsOf(body).find(({ type, call_id }) => type === 'function_call_output' && call_id === id)
    return found ? textOf(found.output) : null
  },
  writeCall(response, { id, name, args }) {
    const [space = '', inner] = name.split(' ')
    const named = inner === undefined ? { name } : { name: inner, namespace: space }
    stream(response, { type: 'function_call', call_id: id, ...named, arguments: JSON.stringify(args) })
  },
  writeEnd(response) {
    stream(response, {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      content: [{ type: 'output_text', text: 'Done.' }],
    })
  },
}
