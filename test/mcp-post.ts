/** The headers of every request to an MCP endpoint, besides the token. */
export const MCP_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
}

/** A request to an MCP endpoint as a program without an SDK sends it. */
export function mcpPost(method: string, params: object = {}, headers: Record<string, string> = {}) {
  return {
    method: 'POST',
    headers: { ...MCP_HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }
}
