import { MCP_PATH } from '../../api/discovery.ts'
import { createGrant, revokeGrant } from '../../api/owner/grants.ts'
import type { JsonObject } from '../../model/json.ts'
import type { OwnServer } from '../own-server.ts'

const REVISION = '2025-11-25'

export interface ToolCall {
  tool: string
  args: JsonObject
}

/** A result as a client receives it. */
export interface McpResult {
  content?: { type: string; text?: string }[]
  structuredContent?: JsonObject
  contents?: { text?: string; _meta?: JsonObject }[]
  _meta?: JsonObject
  isError?: boolean
}

/** Calls the adapter with a grant to read everything, which is ended when the work is done. */
export async function withCaller<T>(
  server: OwnServer,
  client_name: string,
  work: (caller: McpCaller) => Promise<T>,
): Promise<T> {
  const { access_token, grants } = await server.call(
    createGrant,
    {},
    { json: { client_name, single_use: true } },
  )
  try {
    return await work(new McpCaller(server, access_token))
  } finally {
    for (const grant of grants) await server.call(revokeGrant, grant)
  }
}

/** Calls the MCP adapter inside this process as a client does over HTTP. */
export class McpCaller {
  readonly #server: OwnServer
  readonly #token: string
  #id = 0

  constructor(server: OwnServer, token: string) {
    this.#server = server
    this.#token = token
  }

  callTool({ tool, args }: ToolCall): Promise<McpResult> {
    return this.#request('tools/call', { name: tool, arguments: args })
  }

  readResource(uri: string): Promise<McpResult> {
    return this.#request('resources/read', { uri })
  }

  async #request(method: string, params: JsonObject): Promise<McpResult> {
    const url = new URL(MCP_PATH, this.#server.publicUrl)
    const response = await this.#server.fetch(
      new Request(url, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${this.#token}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': REVISION,
          Host: url.host,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params }),
      }),
    )
    const text = await response.text()
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream')
    const json = isStream ? (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? '') : text
    const answer = JSON.parse(json) as { result?: McpResult; error?: { message: string } }
    if (!answer.result) throw new Error(answer.error?.message ?? 'The adapter did not answer.')
    return answer.result
  }
}
