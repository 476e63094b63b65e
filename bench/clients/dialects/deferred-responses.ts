import type { Dialect, Loose } from '../scripted-model.ts'
import { itemsOf, RESPONSES, stream, textOf } from './responses.ts'

/** The Responses API where tools are found by a search first. */
export const SEARCHED_RESPONSES: Dialect = {
  ...RESPONSES,
  toolsOf: body =>
    itemsOf(body)
      .filter(({ type }) => type === 'tool_search_output')
      .flatMap(output => RESPONSES.toolsOf(output)),
  look(response, body) {
    const isFound = itemsOf(body).some(({ type }) => type === 'tool_search_output')
    if (isFound || !(body.tools ?? []).some(({ type }: Loose) => type === 'tool_search')) return false
    const search = { query: 'search my mail, messages and notes; fetch; read conversation; count', limit: 20 }
    const call = { type: 'tool_search_call', call_id: 'look_1', status: 'completed', execution: 'client' }
    stream(response, { ...call, arguments: search })
    return true
  },
}

const LOOK = 'look_1'
const LIST = "text(ALL_TOOLS.map(tool => tool.name).filter(name => name.includes('footnote')).join(' '))"

function program(id: string, input: string) {
  return { type: 'custom_tool_call', call_id: id, name: 'exec', namespace: 'functions', input }
}

function printed(body: Loose, id: string): string | null {
  const found = itemsOf(body).find(
    ({ type, call_id }) => type === 'custom_tool_call_output' && call_id === id,
  )
  return found ? textOf(found.output) : null
}

/** The Responses API where the model writes a program that calls the tools, and receives its output. */
export const PROGRAMMED_RESPONSES: Dialect = {
  ...RESPONSES,
  toolsOf: body => printed(body, LOOK)?.match(/mcp__footnote__\w+/g) ?? [],
  look(response, body) {
    if (printed(body, LOOK) !== null) return false
    stream(response, program(LOOK, LIST))
    return true
  },
  resultOf: printed,
  writeCall(response, { id, name, args }) {
    stream(response, program(id, `text(await tools.${name}(${JSON.stringify(args)}))`))
  },
}
