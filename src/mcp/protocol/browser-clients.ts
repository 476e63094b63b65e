/** The response to a browser's preflight request for a page of an allowed origin. */
export function preflight(origin: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...allowance(origin),
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, PDPP-Version',
      'Access-Control-Max-Age': '600',
    },
  })
}

/** Lets the page read the response, including where to get a token. */
export function readableBy(origin: string, response: Response): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(allowance(origin))) headers.set(name, value)
  headers.set('Access-Control-Expose-Headers', 'WWW-Authenticate, Request-Id, Mcp-Session-Id')
  return new Response(response.body, { status: response.status, headers })
}

/** Without credentials: a page sends its token, never the owner's cookies. */
function allowance(origin: string): Record<string, string> {
  return { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' }
}
