import { countCodePoints, sliceCodePoints } from '../src/model/text/code-points.ts'
import { LoopbackServer } from './loopback-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a stub holds data of every shape
type Loose = any

export interface PlainRecord {
  connection_id: string
  stream: string
  record_id: string
  data: Record<string, Loose>
}

/** The ways in which a plain server fails to list its capabilities in the metadata document. */
export type Metadata = 'absent' | 'failing' | 'no json' | 'without capabilities'

/** The form of a window: all in `window`, all at the top level, or with neither start nor end. */
export type WindowShape = 'nested' | 'flat' | 'bare'

type Handler = (parts: string[], query: URLSearchParams) => Loose

class Refusal extends Error {
  readonly status: number
  readonly error: Record<string, unknown>

  constructor(status: number, code: string, more: Record<string, unknown> = {}) {
    super(code)
    this.status = status
    this.error = { code, message: `Refused: ${code}.`, request_id: 'req_plain', ...more }
  }
}

const LONG_CHARS = 1_000_000
const MARK = '"\\u0000long"'

/** A body whose long strings are streamed, so that a test can use large records. */
function streamed(body: Loose): Response {
  const longs: string[] = []
  const json = JSON.stringify(body, (_, value) => {
    if (typeof value !== 'string' || value.length < LONG_CHARS) return value
    longs.push(value)
    return '\0long'
  })
  async function* chunks() {
    for (const [index, part] of json.split(MARK).entries()) {
      const long = index === 0 ? null : longs[index - 1]
      for (let at = 0; long && at < long.length; at += 65_536) {
        const edge = at === 0 ? '"' : ''
        yield Buffer.from(edge + JSON.stringify(long.slice(at, at + 65_536).toWellFormed()).slice(1, -1))
      }
      yield Buffer.from((long ? '"' : '') + part)
    }
  }
  return new Response(longs.length === 0 ? json : ReadableStream.from(chunks()), {
    headers: { 'Content-Type': 'application/json' },
  })
}

/** A PDPP resource server without any of our extensions, as other implementations serve it. */
export class PlainResourceServer {
  readonly requests: URL[] = []
  readonly tokens = new Set<string>()
  records: PlainRecord[] = []
  /** The answer to a search: hits of any shape, or a whole envelope. */
  hits: (query: URLSearchParams) => Loose = () => []
  metadata: Metadata = 'absent'
  shape: WindowShape = 'nested'
  /** Whether windows and records include their connection. */
  namesConnections = true
  schemaFields: Record<string, string> = { id: 't=string', body: 't=string text', title: 't=string' }

  readonly #routes: [pattern: RegExp, parameters: string[], handler: Handler][] = [
    [/^\/\.well-known\/oauth-protected-resource$/, [], () => this.#metadata()],
    [/^\/v1\/schema$/, ['view', 'stream', 'connection_id'], (_, query) => this.#schema(query)],
    [
      /^\/v1\/search$/,
      ['q', 'limit', 'cursor', 'streams[]', 'connection_id', 'since', 'until'],
      (_, q) => this.#search(q),
    ],
    [
      /^\/v1\/streams\/([^/]+)\/records$/,
      ['limit', 'cursor', 'order', 'fields', 'connection_id', 'changes_since', 'count'],
      (parts, query) => this.#list(parts, query),
    ],
    [
      /^\/v1\/streams\/([^/]+)\/records\/([^/]+)$/,
      ['connection_id', 'fields'],
      (parts, query) => this.#record(parts, query),
    ],
    [
      /^\/v1\/streams\/([^/]+)\/records\/([^/]+)\/field-window$/,
      ['connection_id', 'field', 'offset_chars', 'limit_chars', 'q', 'before_chars', 'after_chars'],
      (parts, query) => this.#window(parts, query),
    ],
    [
      /^\/v1\/streams\/([^/]+)\/aggregate$/,
      ['metric', 'field', 'group_by', 'group_by_time', 'granularity', 'time_zone', 'limit', 'connection_id'],
      ([stream]) => ({ object: 'aggregation', stream, metric: 'count', value: this.records.length }),
    ],
  ]

  /** The requested paths, without metadata documents. */
  get reads(): URL[] {
    return this.requests.filter(({ pathname }) => !pathname.startsWith('/.well-known/'))
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, 'http://plain.test')
    this.requests.push(url)
    this.tokens.add(new Headers(init.headers).get('Authorization') ?? '')
    try {
      for (const [pattern, parameters, handler] of this.#routes) {
        const match = pattern.exec(url.pathname)
        if (!match) continue
        for (const name of new Set(url.searchParams.keys())) {
          const known = parameters.includes(name) || (parameters.includes('limit') && /^filter\[/.test(name))
          if (!known) throw new Refusal(400, 'invalid_request', { param: name })
          if (name !== 'streams[]' && url.searchParams.getAll(name).length > 1)
            throw new Refusal(400, 'invalid_request', { param: name })
        }
        const body = handler(match.slice(1).map(decodeURIComponent), url.searchParams)
        return body instanceof Response ? body : streamed(body)
      }
      throw new Refusal(404, 'not_found')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return Response.json({ error: error.error }, { status: error.status })
    }
  }

  /** The same on a port, for clients in other processes. */
  listen(): Promise<LoopbackServer> {
    return LoopbackServer.start(async (request, response) => {
      const answer = await this.request(request.url ?? '/', {
        headers: { Authorization: request.headers.authorization ?? '' },
      })
      response.writeHead(answer.status, { 'Content-Type': 'application/json' })
      response.end(Buffer.from(await answer.arrayBuffer()))
    })
  }

  #metadata(): Loose {
    if (this.metadata === 'failing') throw new Refusal(500, 'api_error')
    if (this.metadata === 'no json') return new Response('<html>')
    if (this.metadata === 'without capabilities') return { resource: 'http://plain.test' }
    throw new Refusal(404, 'not_found')
  }

  #schema(query: URLSearchParams): Loose {
    const stream = query.get('stream')
    const names = [...new Set(this.records.map(record => record.stream))].filter(
      name => stream === null || name === stream,
    )
    return {
      object: 'schema',
      streams: names.map(name => ({
        stream: name,
        fields: this.schemaFields,
        connections: [...new Set(this.records.filter(r => r.stream === name).map(r => r.connection_id))].map(
          connection_id => ({ connection_id }),
        ),
      })),
    }
  }

  #search(query: URLSearchParams): Loose {
    const hits = this.hits(query)
    return Array.isArray(hits)
      ? { object: 'list', data: hits.slice(0, Number(query.get('limit') ?? 25)), has_more: false }
      : hits
  }

  #list([stream]: string[], query: URLSearchParams): Loose {
    const of = this.#chosen(stream ?? '', query)
    const start = Number(query.get('cursor') ?? 0)
    const end = start + Number(query.get('limit') ?? 25)
    return {
      object: 'list',
      data: of.slice(start, end).map(record => this.#describe(record, query)),
      has_more: end < of.length,
      ...(end < of.length ? { next_cursor: String(end) } : {}),
    }
  }

  #chosen(stream: string, query: URLSearchParams): PlainRecord[] {
    const connection_id = query.get('connection_id')
    const of = this.records.filter(record => record.stream === stream)
    if (of.length === 0) throw new Refusal(403, 'grant_stream_not_allowed')
    const chosen = of.filter(record => connection_id === null || record.connection_id === connection_id)
    if (chosen.length === 0) throw new Refusal(404, 'connection_not_found')
    return chosen
  }

  #one([stream, record_id]: string[], query: URLSearchParams): PlainRecord {
    const found = this.#chosen(stream ?? '', query).filter(record => record.record_id === record_id)
    const [only, another] = found
    if (!only) throw new Refusal(404, 'not_found')
    if (another) {
      const available_connections = found.map(({ connection_id }) => ({ connection_id }))
      throw new Refusal(409, 'ambiguous_connection', { available_connections, retry_with: 'connection_id' })
    }
    return only
  }

  #record(parts: string[], query: URLSearchParams): Loose {
    return this.#describe(this.#one(parts, query), query)
  }

  #describe({ connection_id, stream, record_id, data }: PlainRecord, query: URLSearchParams): Loose {
    const fields = query.get('fields')?.split(',')
    return {
      object: 'record',
      id: record_id,
      stream,
      ...(this.namesConnections ? { connection_id } : {}),
      data: fields ? Object.fromEntries(Object.entries(data).filter(([key]) => fields.includes(key))) : data,
      emitted_at: '2026-01-02T03:04:05Z',
    }
  }

  #window(parts: string[], query: URLSearchParams): Loose {
    const { connection_id, stream, record_id, data } = this.#one(parts, query)
    const path = query.get('field') ?? ''
    const text = path
      .replace(/^\//, '')
      .split('/')
      .reduce<Loose>((value, key) => value?.[key], data)
    if (typeof text !== 'string') throw new Refusal(404, 'field_not_found')
    const total = countCodePoints(text)
    let start = Math.min(Number(query.get('offset_chars') ?? 0), total)
    let end = Math.min(total, start + Number(query.get('limit_chars') ?? 4096))
    const q = query.get('q')
    let match = {}
    if (q !== null) {
      const at = text.toLowerCase().indexOf(q.toLowerCase())
      if (at === -1) throw new Refusal(404, 'query_not_found')
      const from = countCodePoints(text.slice(0, at))
      const to = from + countCodePoints(q)
      start = Math.max(0, from - Number(query.get('before_chars') ?? 2048))
      end = Math.min(total, to + Number(query.get('after_chars') ?? 2048))
      match = { match_start_chars: from, match_end_chars: to }
    }
    const window = {
      text: sliceCodePoints(text, start, end),
      ...(this.shape === 'bare' ? {} : { start_chars: start, end_chars: end }),
      total_chars: total,
      next_offset_chars: end < total ? end : null,
      previous_offset_chars: start > 0 ? Math.max(0, start - (end - start)) : null,
      ...match,
    }
    const names = {
      object: 'field_window',
      ...(this.namesConnections ? { connection_id } : {}),
      stream,
      record_id,
    }
    return this.shape === 'nested'
      ? { ...names, field: { path }, window }
      : { ...names, field: path, ...window }
  }
}
