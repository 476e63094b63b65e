import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createMcpEndpoint } from '../src/mcp/protocol/http.ts'
import { Cursors } from '../src/model/reading/cursor.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { goodClient } from './good-client.ts'
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

/** The endpoint of `/mcp` on loopback, reading from a provider by its address. */
export async function serveEndpoint(
  providerUrl: string,
  timeoutMs = 30_000,
): Promise<{ url: string; failures: unknown[] } & AsyncDisposable> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const failures: unknown[] = []
  const provider = {
    url: providerUrl,
    send: (request: Request) => fetch(request),
    cursors: new Cursors(Buffer.alloc(32, 1), 86_400),
    timeoutMs,
  }
  const endpoint = createMcpEndpoint(
    { provider, version: '0.0.0', report: error => failures.push(error) },
    { publicUrl: url, identify: goodClient },
  )
  server.on(
    'request',
    getRequestListener(request => endpoint.fetch(request, 'req_test')),
  )
  return {
    url,
    failures,
    async [Symbol.asyncDispose]() {
      await endpoint.close()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
