import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createMcpEndpoint, type serveOverHttp } from '../src/mcp/protocol/http.ts'
import { Cursors } from '../src/model/reading/cursor.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { goodClient } from './good-client.ts'
import { LoopbackServer } from './loopback-server.ts'
import type { Era } from './mcp-client.ts'

export const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
export const TRANSPORTS = ['http', 'stdio'] as const
export type TransportName = (typeof TRANSPORTS)[number]

export interface Connected extends AsyncDisposable {
  client: Client
}

/** A strict SDK client of one protocol revision that has listed the tools. */
async function connected(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  era: Era,
  capabilities: ClientCapabilities,
): Promise<Connected> {
  const pin = era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : {}
  const client = new Client({ name: 'test', version: '1' }, { ...pin, capabilities })
  await client.connect(transport)
  await client.listTools()
  return { client, [Symbol.asyncDispose]: () => client.close() }
}

export function connectHttp(
  url: string,
  token: string,
  era: Era,
  capabilities: ClientCapabilities = {},
): Promise<Connected> {
  return connected(httpTransport(url, token), era, capabilities)
}

export function httpTransport(url: string, token: string): StreamableHTTPClientTransport {
  const headers = { Authorization: `Bearer ${token}` }
  return new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } })
}

/** `footnote mcp` in its own process, reading from a provider. */
export function connectStdio(
  providerUrl: string,
  token: string,
  era: Era,
  capabilities: ClientCapabilities = {},
): Promise<Connected> {
  return connected(stdioTransport(providerUrl, token), era, capabilities)
}

export function stdioTransport(providerUrl: string, token: string): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', MAIN, 'mcp', '--provider-url', providerUrl],
    env: { ...COMPILE_CACHE, PDPP_ACCESS_TOKEN: token },
    stderr: 'ignore',
  })
}

type Endpoint = ReturnType<typeof serveOverHttp>

/** An endpoint on loopback, made for its address. */
export async function serveOnLoopback(
  make: (url: string) => Endpoint,
): Promise<{ url: string } & AsyncDisposable> {
  const server = await LoopbackServer.start()
  const endpoint = make(server.url)
  server.answerWith(getRequestListener(request => endpoint.fetch(request, 'req_test')))
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await endpoint.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** The endpoint of `/mcp` on loopback, reading from a provider by its address. */
export async function serveEndpoint(
  providerUrl: string,
  timeoutMs = 30_000,
): Promise<{ url: string; failures: unknown[] } & AsyncDisposable> {
  const failures: unknown[] = []
  const provider = {
    url: providerUrl,
    send: (request: Request, signal: AbortSignal) => fetch(request, { signal }),
    cursors: new Cursors(Buffer.alloc(32, 1), 86_400),
    timeoutMs,
  }
  const adapter = { provider, version: '0.0.0', report: (error: unknown) => failures.push(error) }
  const served = await serveOnLoopback(publicUrl =>
    createMcpEndpoint(adapter, { publicUrl, identify: goodClient }),
  )
  return { ...served, failures }
}
