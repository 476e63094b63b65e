import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Ajv } from 'ajv'
import { createMcpEndpoint } from '../src/mcp/protocol/http.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { Cursors } from '../src/model/reading/cursor.ts'
import { goodClient } from './good-client.ts'
import { PUBLIC_URL, type TestServer } from './test-server.ts'

export const ERAS = ['2026-07-28', '2025-11-25'] as const
export type Era = (typeof ERAS)[number]

// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
export type Loose = any

const ajv = new Ajv({ strict: false })
/** Checks that every structured result matches the tool's output schema. */
const OUTPUTS = new Map(TOOLS.map(tool => [tool.name, ajv.compile(tool.output)]))

/** A tool's answer, split into what each kind of client sees. */
export interface Seen {
  result: Loose
  text: string
  structured: Loose
  isError: boolean
}

/** A strict SDK client that has listed the tools, and the requests that its calls made to the resource server. */
export class McpTestClient implements AsyncDisposable {
  readonly client: Client
  readonly requests: URL[]

  private constructor(client: Client, requests: URL[]) {
    this.client = client
    this.requests = requests
  }

  static async connect(
    server: Pick<TestServer, 'request'>,
    token: string,
    era: Era = '2026-07-28',
    adapter: { alwaysLoad?: boolean } = {},
  ): Promise<McpTestClient> {
    const requests: URL[] = []
    const provider = {
      url: PUBLIC_URL,
      cursors: new Cursors(Buffer.alloc(32, 1), 86_400),
      timeoutMs: 20_000,
      send: async (request: Request) => {
        const url = new URL(request.url)
        requests.push(url)
        return server.request(url.pathname + url.search, { headers: request.headers, token: null })
      },
    }
    const failures: unknown[] = []
    const endpoint = createMcpEndpoint(
      { provider, version: '0.0.0', report: error => failures.push(error), ...adapter },
      { publicUrl: PUBLIC_URL, identify: goodClient },
    )
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', PUBLIC_URL), {
      requestInit: { headers: { Authorization: `Bearer ${token}`, Host: new URL(PUBLIC_URL).host } },
      fetch: (url, init) => endpoint.fetch(new Request(url, init), 'req_test'),
    })
    const client = new Client(
      { name: 'test', version: '1' },
      era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : {},
    )
    await client.connect(transport)
    await client.listTools()
    return new McpTestClient(client, requests)
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Seen> {
    const result: Loose = await this.client.callTool({ name, arguments: args })
    const check = OUTPUTS.get(name)
    if (check && !result.isError)
      assert.ok(check(result.structuredContent), `${name}: ${JSON.stringify(check.errors)}`)
    return {
      result,
      text: result.content[0].text,
      structured: result.structuredContent,
      isError: result.isError === true,
    }
  }

  /** The typed error of a call that must be refused. */
  async refused(name: string, args: Record<string, unknown>): Promise<Loose> {
    const { result, text, isError } = await this.call(name, args)
    assert.ok(isError, `${name} ${JSON.stringify(args)} was not refused: ${text.slice(0, 200)}`)
    assert.equal(result.structuredContent, undefined)
    assert.equal(result.content.length, 1)
    const [, code = '', message = '', json = ''] = /^(\w+): (.*?) (\{"error":.*)$/s.exec(text) ?? []
    const { error } = JSON.parse(json)
    assert.equal(error.code, code, text)
    assert.ok(message.length > 10, text)
    return error
  }

  async read(uri: string): Promise<Loose> {
    return this.client.readResource({ uri })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close()
  }
}

/** The error in the text of a refusal: a sentence, then JSON. */
export function errorIn(text: string): Loose {
  return JSON.parse(text.slice(text.indexOf('{"error":'))).error
}

/** The calls in a text, in order: a tool's name and its arguments. */
export function callsIn(text: string): { tool: string; args: Record<string, unknown> }[] {
  return [
    ...text.matchAll(
      /\b(read_record_field|read_conversation|fetch|search|query_records|aggregate) (\{.*?\})(?=\)|$|, then|\n)/gm,
    ),
  ].map(([, tool = '', args = '']) => ({ tool, args: JSON.parse(args) }))
}

/** The ids at the start of lines. */
export function idsIn(text: string): string[] {
  return [...text.matchAll(/^(\S+\/\S+?:\S+|pdpp:\/\/record\/\S+)/gm)].map(([, id = '']) => id)
}

export function bytes(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}
