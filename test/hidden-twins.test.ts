import assert from 'node:assert/strict'
import type { PlainGrant, PlainSource } from './brute-force-grant.ts'
import { count, type Engine, onEachEngine, PROVING } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { Random } from './random.ts'
import { differences } from './twin-answers.ts'
import type { TwinRequest } from './twin-asked.ts'
import { TwinChanges } from './twin-changes.ts'
import { twinRequest } from './twin-requests.ts'
import { type PlainAnswer, type StillServer, StoreTemplate } from './twin-servers.ts'
import {
  FILES,
  RECORD_IDS,
  randomRecord,
  STREAMS,
  twinDeclaration,
  twinGrants,
  twinSource,
} from './twin-world.ts'
import { embedWords } from './word-meaning.ts'

const WORLDS = count(1, 100)
const STEPS = 3
const REQUESTS = count(40, 120)
const MOST_KEPT = 40
const ALLOWANCES = [{ rows: 5 }, { rows: 20 }, { texts: 3 }, { texts: 12 }, { chars: 2_000 }]
/** FOOTNOTE_SEED repeats a failed world. Only `npm run prove` tries new worlds. */
const SEED = Number(process.env.FOOTNOTE_SEED ?? (PROVING ? Date.now() % 1_000_000_000 : 1))

type TwinDeclaration = ReturnType<typeof twinDeclaration>

/** A version with other roles, conversations and searched texts. Grants stay with the version that they were made from. */
function nextVersion(random: Random, { source, streams }: TwinDeclaration): object {
  const next = twinDeclaration(random, source.id.split('/').at(-1) ?? '')
  const kept = next.streams.map((stream, no) => {
    const { cursor_field, ...rest } = stream
    const { cursor_field: order, consent_time_field } = streams[no] ?? assert.fail()
    return { ...rest, consent_time_field, ...(order === undefined ? {} : { cursor_field: order }) }
  })
  return { ...next, declaration_version: `${random.integer(2, 999_999)}.0.0`, streams: kept }
}

interface Prepared {
  declarations: TwinDeclaration[]
  connections: string[]
  sources: PlainSource[]
  grants: PlainGrant[]
  token: string
}

/** Another connection with records, and another client that may read it. */
async function addHidden(server: StillServer, random: Random, source_id: string): Promise<void> {
  const { connection_id } = await server.own('POST', '/v1/owner/connections', {
    source_id,
    display_name: 'Connection 4',
  })
  const lines = RECORD_IDS.map(id => ({ data: randomRecord(random, id) }))
  for (const stream of STREAMS) await server.ingest(stream, connection_id, lines)
  const grant = { connections: [connection_id], streams: STREAMS }
  await server.own('POST', '/v1/owner/grants', { client_name: 'Another', ...grant })
}

/** Connections of two sources, of which the last is never granted, and a client with a few grants. */
async function prepare(server: StillServer, random: Random): Promise<Prepared> {
  const declarations = ['left', 'right'].map(key => twinDeclaration(random, key))
  const prepared: Prepared = { declarations, connections: [], sources: [], grants: [], token: '' }
  for (const no of [0, 0, 1, 0]) {
    const declaration = declarations[no] ?? assert.fail()
    const connection = await server.connect(declaration, `Connection ${prepared.connections.length}`)
    prepared.connections.push(connection)
    prepared.sources.push(...declaration.streams.map(stream => twinSource(connection, stream)))
  }
  for (const { text } of FILES) await server.own('POST', '/v1/blobs', text, 'text/plain')
  const ids: string[] = []
  for (const [no, grant] of twinGrants(random, prepared.connections.slice(0, 3)).entries()) {
    if (no > 0 && random.chance(0.1))
      await server.own('POST', '/v1/owner/declarations', nextVersion(random, random.pick(declarations)))
    const made = await server.own('POST', '/v1/owner/grants', { client_name: 'Client', ...grant })
    prepared.grants.push(grant)
    ids.push(...made.grants.map(({ grant_id }: { grant_id: string }) => grant_id))
  }
  const { owner_id, writer } = server.store
  const now = '2026-06-01T00:00:00Z'
  return {
    ...prepared,
    token: await writer.call('createClientToken', { owner_id, grant_ids: ids, now }),
  }
}

/** A request to each of the two stores, and what the next one of the same list needs from each. */
type Pair = [plain: TwinRequest, secret: TwinRequest]

class Comparison {
  readonly #random: Random
  readonly #prepared: Prepared
  readonly #servers: readonly [StillServer, StillServer]
  readonly #kept: Pair[] = []
  answered = 0

  constructor(random: Random, prepared: Prepared, servers: readonly [StillServer, StillServer]) {
    this.#random = random
    this.#prepared = prepared
    this.#servers = servers
  }

  async ask(): Promise<void> {
    const { connections, token } = this.#prepared
    const [plain, secret] = this.#servers
    const [one, other] = this.#next(connections)
    const answers = await Promise.all([
      plain.ask(one.path, token, one.init),
      secret.ask(other.path, token, other.init),
    ])
    const told = differences(...answers)
    assert.deepEqual(told, [], `${decodeURIComponent(one.path)} ${one.init?.body ?? ''}`)
    if (answers[0].status === 200) this.answered++
    else assert.ok(!one.path.startsWith('/mcp'), answers[0].text)
    this.#keep([one, other], answers)
  }

  #next(connections: readonly string[]): Pair {
    if (this.#kept.length > 0 && this.#random.chance(0.25)) return this.#random.pick(this.#kept)
    const request = twinRequest(this.#random, connections)
    return [request, request]
  }

  #keepCalls(asked: Pair, answers: readonly [PlainAnswer, PlainAnswer]): void {
    const [one, other] = [nextCall(asked[0], answers[0]), nextCall(asked[1], answers[1])]
    if (one && other) this.#kept.push([one, other])
  }

  /** Cursors, marks and ETags, for later. */
  #keep(asked: Pair, answers: readonly [PlainAnswer, PlainAnswer]): void {
    if (asked[0].path.startsWith('/mcp')) {
      this.#keepCalls(asked, answers)
      return
    }
    if (asked[0].init) return
    const pair = (follow: (request: TwinRequest, answer: PlainAnswer) => TwinRequest | null) => {
      const [one, other] = [follow(asked[0], answers[0]), follow(asked[1], answers[1])]
      if (one && other) this.#kept.push([one, other])
    }
    pair(({ path }, { text }) => following(path, text, 'next_cursor', 'cursor'))
    pair(({ path }, { text }) => following(path, text, 'next_changes_since', 'changes_since'))
    pair(({ path }, { headers: { etag } }) =>
      etag ? { path, init: { headers: { 'If-None-Match': etag } } } : null,
    )
    while (this.#kept.length > MOST_KEPT) this.#kept.splice(this.#random.integer(0, this.#kept.length - 1), 1)
  }
}

/** The call of the next page, as the tool prints it. */
function nextCall({ path, init }: TwinRequest, { text }: PlainAnswer): TwinRequest | null {
  const cursor = /"next_cursor":"([^"]+)"/.exec(text)?.[1]
  const body = JSON.parse(String(init?.body))
  if (!cursor || body.method !== 'tools/call') return null
  const args = { ...body.params.arguments, cursor }
  for (const name of FIRST_ONLY) delete args[name]
  return {
    path,
    init: { ...init, body: JSON.stringify({ ...body, params: { ...body.params, arguments: args } }) },
  }
}

/** Only the first window of a text is found by a query or a place. */
const FIRST_ONLY = ['q', 'offset_chars', 'limit_chars']

function following(path: string, text: string, given: string, parameter: string): TwinRequest | null {
  const value = new RegExp(`"${given}":"([^"]+)"`).exec(text)?.[1]
  if (!value) return null
  const url = new URL(path, 'http://footnote.test')
  if (url.pathname.endsWith('/field-window')) for (const name of FIRST_ONLY) url.searchParams.delete(name)
  if (parameter !== 'cursor') url.searchParams.delete('cursor')
  url.searchParams.set(parameter, value)
  return { path: url.pathname + url.search }
}

async function tryWorld(engine: Engine, random: Random): Promise<number> {
  const { template, prepared } = await StoreTemplate.prepare(engine, server => prepare(server, random))
  await using _ = template
  const allowance = random.chance(0.3) ? random.pick(ALLOWANCES) : {}
  await using plain = await template.open(allowance)
  await using secret = await template.open(allowance)
  const changes = new TwinChanges(random, prepared.grants)
  const comparison = new Comparison(random, prepared, [plain, secret])
  for (let step = 0; step < STEPS; step++) {
    for (const source of prepared.sources) {
      const some = Array.from({ length: random.integer(0, 10) }, () => random.pick(RECORD_IDS))
      const lines = changes.lines(source, step === 0 ? [...RECORD_IDS, ...some] : some)
      if (lines.plain.length > 0) await plain.ingest(source.stream, source.connection, lines.plain)
      if (lines.secret.length > 0) await secret.ingest(source.stream, source.connection, lines.secret)
    }
    if (step === 1 && random.chance(0.3)) {
      const version = nextVersion(random, random.pick(prepared.declarations))
      for (const server of [plain, secret]) await server.own('POST', '/v1/owner/declarations', version)
    }
    if (step === 1) await addHidden(secret, random, prepared.declarations[0]?.source.id ?? '')
    if (random.chance(0.7)) await Promise.all([plain, secret].map(({ store }) => embedWords(store)))
    for (let no = 0; no < REQUESTS; no++) await comparison.ask()
  }
  assert.deepEqual([plain.failures, secret.failures], [[], []])
  return comparison.answered
}

onEachEngine('RS-5 RS-2 random stores that differ only in hidden data answer identically', async engine => {
  const worlds = process.env.FOOTNOTE_SEED ? 1 : WORLDS
  // Without a given seed, each engine has different worlds.
  const first = SEED + (process.env.FOOTNOTE_SEED || engine === 'sqlite' ? 0 : worlds)
  let answered = 0
  for (let seed = first; seed < first + worlds; seed++) {
    try {
      answered += await tryWorld(engine, new Random(seed))
    } catch (error) {
      const { message, stack } = error as Error
      throw new Error(`FOOTNOTE_SEED=${seed} on ${engine}: ${message}`, { cause: stack })
    }
  }
  assert.ok(answered > (worlds * STEPS * REQUESTS) / 4, `only ${answered} requests were answered`)
})

onEachEngine(
  'RS-5 in which stretches of time a search reads does not decide how many texts it reads',
  async engine => {
    const records = ['other', 'short', 'long'].flatMap(id => [1, 2, 3, 4, 5].map(no => `messages:${id}${no}`))
    const { template, prepared } = await StoreTemplate.prepare(engine, async server => {
      const connection = await server.connect(MAILBOX, 'Mail')
      const grant = { client_name: 'Client', connections: [connection], records }
      return { connection, ...(await server.own('POST', '/v1/owner/grants', grant)) }
    })
    await using _ = template
    const body = 'walrus at the harbour'
    const long = `${body} ${'far and wide '.repeat(700)}`.repeat(5)
    const visible = [1, 2, 3, 4, 5].flatMap(no => [
      message(`other${no}`, { received_at: '2026-01-04T00:00:00Z' }),
      message(`short${no}`, { body, received_at: '2026-01-03T00:00:00Z' }),
      message(`long${no}`, { body: long, received_at: '2026-01-02T00:00:00Z' }),
    ])
    const answers: string[] = []
    for (const hidden of [0, 9]) {
      await using server = await template.open({ texts: 16 })
      const later = Array.from({ length: hidden }, (_, no) =>
        message(`hidden${no}`, { received_at: '2026-01-03T00:00:00Z' }),
      )
      const lines = [...visible, ...later].map(line => ({ ...line, emitted_at: '2026-02-01T00:00:00Z' }))
      await server.ingest('messages', prepared.connection, lines)
      const path = '/v1/search?q=harb*&sort=newest&limit=1'
      answers.push((await server.ask(path, prepared.access_token)).text)
    }
    const [one = '', other = ''] = answers.map(text => text.replace(/"next_cursor":"[^"]+"/, ''))
    assert.equal(other, one)
  },
)
