import { TOOLS } from '../../../src/mcp/tools.ts'
import type { Dialect } from '../scripted-model.ts'
import { CHAT } from './chat-completions.ts'

/** Chat Completions for a client that lists tools in its prompt and calls them through a single tool. */
export function deferredChat(caller: string, prefix: string): Dialect {
  return {
    ...CHAT,
    toolsOf(body) {
      if (!CHAT.toolsOf(body).includes(caller)) return []
      const prompt = JSON.stringify(body.messages)
      return TOOLS.map(({ name }) => `${prefix}${name}`).filter(name => prompt.includes(name))
    },
    writeCall: (response, { id, name, args }) =>
      CHAT.writeCall(response, { id, name: caller, args: { name, arguments: args } }),
  }
}
