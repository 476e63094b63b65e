import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { count } from './limits.ts'
import { message } from './mailbox.ts'
import type { Random } from './random.ts'
import type { SpawnedServer } from './spawned-server.ts'
import type { Answer } from './test-server.ts'

/** The server writes at least this many lines in one transaction. */
const BATCH_LINES = 500
const WRITERS = 2
/** The fault is caused after this many answers, whatever is running at the time. */
const ANSWERS = { fewest: 3, most: count(12, 40) }

/** The totals of all rounds under load. */
export class Tally {
  rounds = 0
  /** Requests that the faults interrupted. */
  caught = 0
  acknowledged = 0
  /** Answers to clients, each with its line in the ledger. */
  answers = 0
  /** Typed refusals while a part of the server was down. */
  refused = 0
}

/**
 * Writes and reads through a server, causes a fault meanwhile, and checks everything on the server that runs
 * afterwards: what was acknowledged is stored, nothing is stored partially, and every answer has its line.
 */
export async function runWithFault(
  { server, owner, random, tally }: { server: SpawnedServer; owner: string; random: Random; tally: Tally },
  fault: () => Promise<SpawnedServer>,
): Promise<SpawnedServer> {
  const since = new Date().toISOString()
  const writers: Writer[] = []
  for (let no = 0; no < WRITERS; no++) writers.push(await Writer.start(server, owner, random))
  const reader = await Reader.start(server, owner, writers)
  const enough = Promise.withResolvers<void>()
  let missing = random.integer(ANSWERS.fewest, ANSWERS.most)
  const answered = () => {
    if (--missing === 0) enough.resolve()
  }
  const working = Promise.all([...writers, reader].map(one => one.work(answered)))
  await Promise.race([enough.promise, working])
  const after = await fault()
  await working
  for (const writer of writers) await writer.check(after)
  await reader.check(after, since)
  for (const writer of writers) await writer.repeat(after)
  tally.rounds++
  tally.caught += writers.filter(writer => writer.pending.length > 0).length
  tally.acknowledged += writers.reduce((sum, writer) => sum + writer.requests, 0)
  tally.answers += reader.answers
  tally.refused += [...writers, reader].reduce((sum, { refused }) => sum + refused, 0)
  return after
}

interface Line {
  op: 'upsert' | 'delete'
  data: Record<string, unknown>
}

interface Stored {
  digest: string
  day: string
}

/** Sends ingest requests in sequence and remembers what was acknowledged. */
class Writer {
  readonly connection: string
  readonly #token: string
  readonly #random: Random
  #server: SpawnedServer
  #made = 0
  /** By record id, without deleted records. */
  acknowledged = new Map<string, Stored>()
  /** The lines of the request that was not answered or was refused. */
  pending: Line[] = []
  /** The number of acknowledged requests. */
  requests = 0
  refused = 0

  private constructor(server: SpawnedServer, token: string, random: Random, connection: string) {
    this.#server = server
    this.#token = token
    this.#random = random
    this.connection = connection
  }

  static async start(server: SpawnedServer, token: string, random: Random): Promise<Writer> {
    return new Writer(server, token, random, await server.connect(token, 'Killed'))
  }

  /** Sends requests until the server is gone or refuses one. */
  async work(answered: () => void): Promise<void> {
    for (;;) {
      this.pending = this.#nextLines()
      try {
        if (!(await this.#send(this.pending))) return
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        return
      }
      this.requests++
      this.acknowledged = applied(this.acknowledged, this.pending)
      this.pending = []
      answered()
    }
  }

  async #send(lines: Line[]): Promise<boolean> {
    const body = lines.map(line => JSON.stringify(line)).join('\n')
    const answer = await this.#server.ingest('messages', this.connection, this.#token, body)
    if (isRefusal(answer)) {
      this.refused++
      return false
    }
    assert.deepEqual([answer.status, answer.body.rejected, answer.body.seen], [200, 0, lines.length])
    return true
  }

  #nextLines(): Line[] {
    const random = this.#random
    const many = random.chance(0.15)
    return Array.from({ length: many ? random.integer(501, 1_300) : random.integer(1, 12) }, () => {
      const fresh = this.#made === 0 || random.chance(0.6)
      const id = `m${fresh ? ++this.#made : random.integer(1, this.#made)}`
      if (!fresh && random.chance(0.15)) return { op: 'delete', data: { id } }
      const chars = many || random.chance(0.7) ? random.integer(0, 200) : random.integer(16_000, 120_000)
      const body = `${id} ${random.integer(0, 1e9)} ${'Grüße \u{1F600}\r\n'.repeat(Math.ceil(chars / 9))}`
      const received_at = `2026-01-0${random.integer(1, 5)}T0${random.integer(0, 9)}:00:00Z`
      return { op: 'upsert', data: message(id, { body, received_at }).data }
    })
  }

  /**
   * Checks that everything acknowledged is stored, and nothing else except for the first complete transactions of the
   * unanswered request.
   */
  async check(server: SpawnedServer): Promise<void> {
    const stored = await this.#stored(server)
    const possible = [...possibleStates(this.acknowledged, this.pending)]
    const found = possible.some(state => sameState(state, stored))
    assert.ok(found, `${this.connection}: ${difference(this.acknowledged, stored)}`)
    await this.#checkTallies(server, stored)
  }

  /** Sends the unanswered request again and checks that no trace of the kill remains. */
  async repeat(server: SpawnedServer): Promise<void> {
    this.#server = server
    if (this.pending.length > 0) assert.ok(await this.#send(this.pending), 'refused after the fault')
    const expected = applied(this.acknowledged, this.pending)
    const stored = await this.#stored(server)
    assert.ok(sameState(expected, stored), `${this.connection} again: ${difference(expected, stored)}`)
    await this.#checkTallies(server, stored)
  }

  /** Lists all records. Texts that lists truncate are read in full and must match their digest. */
  async #stored(server: SpawnedServer): Promise<Map<string, Stored>> {
    const stored = new Map<string, Stored>()
    for (let cursor = ''; ; ) {
      const path = `/v1/streams/messages/records?limit=100&connection_id=${this.connection}${cursor}`
      const { status, body } = await server.json(path, this.#token)
      assert.equal(status, 200, JSON.stringify(body))
      for (const record of body.data) {
        assert.ok(!stored.has(record.id), `${record.id} is listed twice`)
        const cut = record.truncated_fields?.[0]
        const digest = digestOf(cut ? await this.#wholeBody(server, record.id) : record.data.body)
        if (cut) assert.equal(cut.digest, digest)
        stored.set(record.id, { digest, day: record.data.received_at.slice(0, 10) })
      }
      if (!body.has_more) return stored
      cursor = `&cursor=${body.next_cursor}`
    }
  }

  async #wholeBody(server: SpawnedServer, id: string): Promise<string> {
    const path = `/v1/streams/messages/records/${id}?connection_id=${this.connection}`
    const { status, body } = await server.json(path, this.#token)
    assert.equal(status, 200, JSON.stringify(body).slice(0, 500))
    return body.data.body
  }

  async #checkTallies(server: SpawnedServer, stored: Map<string, Stored>): Promise<void> {
    const scope = `connection_id=${this.connection}`
    const ask = async (path: string) => (await server.json(`/v1/streams/messages${path}`, this.#token)).body
    const days = Map.groupBy(stored.values(), ({ day }) => day)
    const grouped = [...days].map(([key, records]) => ({ key, count: records.length }))
    const listed = await ask(`/records?limit=1&count=exact&${scope}`)
    const aggregated = await ask(`/aggregate?metric=count&${scope}`)
    const daily = await ask(
      `/aggregate?metric=count&group_by_time=received_at&granularity=day&limit=100&${scope}`,
    )
    const { body: streams } = await server.json('/v1/streams', this.#token)
    const summary = streams.data
      .find(({ name }: { name: string }) => name === 'messages')
      .connections.find(({ connection_id }: { connection_id: string }) => connection_id === this.connection)
    const counts = [listed.meta.count, aggregated.value, summary.record_count]
    assert.deepEqual(counts, [stored.size, stored.size, stored.size])
    assert.deepEqual(
      daily.groups,
      grouped.sort((a, b) => (a.key < b.key ? -1 : 1)),
    )
  }
}

/** Reads as a client and remembers every answer that came back. */
class Reader {
  readonly #server: SpawnedServer
  readonly #token: string
  readonly #owner: string
  readonly #writers: readonly Writer[]
  readonly #answered = new Set<string>()
  refused = 0

  private constructor(server: SpawnedServer, token: string, owner: string, writers: readonly Writer[]) {
    this.#server = server
    this.#token = token
    this.#owner = owner
    this.#writers = writers
  }

  static async start(server: SpawnedServer, owner: string, writers: readonly Writer[]): Promise<Reader> {
    const connections = writers.map(writer => writer.connection)
    const made = await server.post('/v1/owner/grants', owner, { client_name: 'Reader', connections })
    return new Reader(server, made.body.access_token, owner, writers)
  }

  get answers(): number {
    return this.#answered.size
  }

  /** Reads until the server is gone or refuses a read. */
  async work(answered: () => void): Promise<void> {
    for (let no = 0; ; no++) {
      const { acknowledged, connection } = this.#writers[no % this.#writers.length] as Writer
      const [id] = acknowledged.keys()
      const window = `/records/${id}/field-window?field=body&connection_id=${connection}`
      const list = `/records?limit=3&connection_id=${connection}`
      const search = `/v1/search?q=gr*&limit=2&connection_id=${connection}`
      const path = no % 4 === 3 ? search : `/v1/streams/messages${id && no % 4 > 0 ? window : list}`
      try {
        const response = await this.#server.request(path, this.#token)
        const request = response.headers.get('Request-Id') ?? ''
        // The line of an answer is written before the answer begins. A refusal may have no line.
        if (response.status < 500) this.#answered.add(request)
        const body = await response.json()
        if (isRefusal({ status: response.status, headers: response.headers, body })) {
          this.refused++
          return
        }
        answered()
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        return
      }
    }
  }

  async check(server: SpawnedServer, since: string): Promise<void> {
    const noted = new Set<string>()
    for (let cursor = ''; ; ) {
      const { body } = await server.json(
        `/v1/owner/disclosures?limit=100&since=${since}${cursor}`,
        this.#owner,
      )
      for (const { request_id } of body.data) noted.add(request_id)
      if (!body.has_more) break
      cursor = `&cursor=${body.next_cursor}`
    }
    const lost = [...this.#answered].filter(id => !noted.has(id))
    assert.deepEqual(lost, [], 'answers whose lines are lost')
  }
}

/** Whether the server reports that a part of it is temporarily down. */
function isRefusal({ status, headers, body }: Answer): boolean {
  if (status < 500) return false
  assert.ok(
    status === 503 && /^(service|ledger)_unavailable$/.test(body.error.code),
    `${status} ${JSON.stringify(body)}`,
  )
  assert.ok(Number(headers.get('Retry-After')) > 0, JSON.stringify(body))
  return true
}

function applied(before: Map<string, Stored>, lines: readonly Line[]): Map<string, Stored> {
  const state = new Map(before)
  for (const { op, data } of lines) {
    const id = String(data.id)
    if (op === 'delete') state.delete(id)
    else state.set(id, { digest: digestOf(String(data.body)), day: String(data.received_at).slice(0, 10) })
  }
  return state
}

/** The possible states after a request that was not answered: none of it, all of it, or its first transactions. */
function* possibleStates(before: Map<string, Stored>, lines: readonly Line[]) {
  let state = before
  yield state
  state = applied(state, lines.slice(0, BATCH_LINES))
  yield state
  for (const line of lines.slice(BATCH_LINES)) {
    state = applied(state, [line])
    yield state
  }
}

function sameState(a: Map<string, Stored>, b: Map<string, Stored>): boolean {
  return (
    a.size === b.size &&
    [...a].every(([id, { digest, day }]) => b.get(id)?.digest === digest && b.get(id)?.day === day)
  )
}

function difference(expected: Map<string, Stored>, stored: Map<string, Stored>): string {
  const ids = new Set([...expected.keys(), ...stored.keys()])
  const differing = [...ids].filter(id => expected.get(id)?.digest !== stored.get(id)?.digest)
  return `${differing.length} of ${ids.size} records differ from what was acknowledged: ${differing.slice(0, 10).join(', ')}`
}

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}
