import { readFile } from 'node:fs/promises'
import { DOCUMENTS } from '../documents.ts'
import { connectionOf, isGranted, mailId, wordAt } from '../mail.ts'
import { alternate, median, type Work } from '../measure.ts'
import { type Result, single, type Target, timed } from '../result.ts'
import type { Rig } from '../rig.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'

/** V8 optimises the code of a call only after some hundred calls. */
const WARM_CALLS = 300
const BLOCKS = 10
const BLOCK_CALLS = 20

const MODERN = '2026-07-28'
const LEGACY = '2025-11-25'
type Era = typeof MODERN | typeof LEGACY

interface Call {
  tool: string
  args: Record<string, unknown>
  /** The request that the tool makes to the resource server, or the first of them. */
  request: string
}

function calls(rig: Rig): Call[] {
  const n = Array.from({ length: rig.size.records }, (_, n) => n).find(isGranted) ?? 0
  const connection = connectionOf(n, rig.connections)
  const { document, holder } = largeDocument(rig)
  const word = wordAt(19_000)
  const record = `/v1/streams/messages/records/${mailId(n)}?connection_id=${connection}`
  const window = `/v1/streams/documents/records/${document}/field-window?connection_id=${holder}&field=text`
  return [
    { tool: 'schema', args: {}, request: '/v1/schema?view=compact' },
    {
      tool: 'search',
      args: { query: word },
      request: `/v1/search?q=${word}&time_zone=UTC&window_chars=160&windows=1&places=2&view=compact&cursors=true&varied=true&limit=10`,
    },
    {
      tool: 'fetch',
      args: { id: `${connection}/messages:${mailId(n)}` },
      request: `${record}&max_field_chars=4096`,
    },
    {
      tool: 'read_record_field',
      args: { id: `${holder}/documents:${document}`, field_path: 'text' },
      request: window,
    },
    {
      tool: 'query_records',
      args: { stream: 'messages' },
      request: '/v1/streams/messages/records?max_field_chars=600&limit=10',
    },
    {
      tool: 'aggregate',
      args: { stream: 'messages' },
      request: '/v1/streams/messages/aggregate?metric=count',
    },
  ]
}

function largeDocument({ connections: [holder = ''] }: Rig): { document: string; holder: string } {
  return { document: DOCUMENTS['1 MB'].id, holder }
}

export const mcp: Row = {
  name: 'MCP',
  async measure(rig) {
    const results: Result[] = []
    for (const { tool, args, request } of calls(rig)) {
      for (let warm = 0; warm < WARM_CALLS; warm++) await callTool(rig, tool, args)
      for (const era of tool === 'search' ? ([MODERN, LEGACY] as const) : ([MODERN] as const)) {
        const works = { server: toolWork(rig, era, tool, args), floor: () => rig.client.send(request) }
        const { server, floor } = await alternate(works, rig.size.seconds * 2)
        const row = `MCP ${tool}${era === LEGACY ? `, ${LEGACY}` : ''}`
        const target = TARGETS.mcp
        results.push(timed({ row, server, floor, target, figure: server.p50 - floor.p50 }))
        const spent = await processorTimes(rig, works)
        results.push(single({ row: `${row}, processor`, unit: 'ms', ...spent, target }))
      }
    }
    return [...results, ...(await bytes(rig))]
  },
}

/** The time that a call takes on the server's main thread, on each side: comparable even on a busy machine. */
async function processorTimes(
  rig: Rig,
  works: Record<'server' | 'floor', Work>,
): Promise<{ value: number | null; floor?: number; figure?: number }> {
  const spent = { server: [] as number[], floor: [] as number[] }
  for (let block = 0; block < BLOCKS; block++) {
    for (const side of ['server', 'floor'] as const) {
      const before = await mainThreadMs(rig.pid)
      for (let call = 0; call < BLOCK_CALLS; call++) await works[side]()
      const after = await mainThreadMs(rig.pid)
      if (before === null || after === null) return { value: null }
      spent[side].push((after - before) / BLOCK_CALLS)
    }
  }
  const [value, floor] = [median(spent.server), median(spent.floor)]
  return { value, floor, figure: value - floor }
}

/** Null where there is no /proc. */
async function mainThreadMs(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').catch(() => null)
  return text === null ? null : Number(text.split(' ')[0]) / 1e6
}

/** The bytes that a text-only model reads to reach a field of 1 MB, and a record of 1 MB. */
async function bytes(rig: Rig): Promise<Result[]> {
  const { document, holder } = largeDocument(rig)
  const id = `${holder}/documents:${document}`
  const size = (value: unknown) =>
    Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
  const list = size(await ask(rig, 'tools/list'))
  const search = size(await callTool(rig, 'search', { query: 'Heron frozen Harbour' }))
  const window = size(await callTool(rig, 'read_record_field', { id, field_path: 'text' }))
  const fetched = size(await callTool(rig, 'fetch', { id }))
  const line = (row: string, value: number, target: Target) =>
    single({ row: `MCP bytes: ${row}`, unit: 'B', value, target })
  return [
    line('tools/list', list, TARGETS.toolsList),
    line('tools/list, search, read_record_field of 1 MB', list + search + window, TARGETS.windowJourney),
    line('tools/list, search, fetch of 1 MB', list + search + fetched, TARGETS.fetchJourney),
  ]
}

/** The text of a result. A refusal ends the run, because its time means nothing. */
async function callTool(rig: Rig, name: string, args: object): Promise<string> {
  const { content, isError } = await ask(rig, 'tools/call', { name, arguments: args })
  const text = content?.[0]?.text
  if (isError || text === undefined) throw new Error(`${name} was refused: ${text}`)
  return text
}

interface Answer {
  content?: { text: string }[]
  isError?: boolean
}

async function ask(
  rig: Rig,
  method: string,
  params: { name?: string; arguments?: object } = {},
): Promise<Answer> {
  const { body } = await send(rig, MODERN, method, params)
  const { result, error } = JSON.parse(body.toString()) as { result?: Answer; error?: object }
  if (!result) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

function toolWork(rig: Rig, era: Era, name: string, args: object): Work {
  return () => send(rig, era, 'tools/call', { name, arguments: args })
}

function send(rig: Rig, era: Era, method: string, params: { name?: string; arguments?: object }) {
  const modern = era === MODERN
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, ...(modern ? { _meta } : {}) } }
  return rig.client.send('/mcp', {
    method: 'POST',
    type: 'application/json',
    body: Buffer.from(JSON.stringify(message)),
    headers: {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': era,
      ...(modern ? { 'Mcp-Method': method, ...(params.name ? { 'Mcp-Name': params.name } : {}) } : {}),
    },
  })
}
