import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { count, freshLocation, onEachEngine, PROVING } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { Random } from './random.ts'
import { ownerTokenFor, SpawnedServer } from './spawned-server.ts'

const KILLS = count(3, 100)
const WRITERS = 2
/** A server is killed when it has given so many answers; whatever else it is doing then is interrupted. */
const ANSWERS = { fewest: 3, most: 40 }
/** The server takes at least so many lines together, in one transaction. */
const BATCH_LINES = 500

onEachEngine(
  'a server killed during ingest loses nothing it acknowledged and shows nothing half-written',
  async engine => {
    const { location, remove } = await freshLocation(engine)
    const token = await ownerTokenFor(location)
    const seed = Number(process.env.FOOTNOTE_SEED ?? (PROVING ? Date.now() % 1_000_000_000 : 1))
    const random = new Random(seed)
    let server = await SpawnedServer.start(location)
    let caught = 0
    try {
      await server.post('/v1/owner/declarations', token, MAILBOX)
      for (let kill = 0; kill < KILLS; kill++) {
        const since = new Date().toISOString()
        const writers: Writer[] = []
        for (let no = 0; no < WRITERS; no++) writers.push(await Writer.start(server, token, random))
        const reader = await Reader.start(server, token, writers)
        const enough = Promise.withResolvers<void>()
        let missing = random.integer(ANSWERS.fewest, ANSWERS.most)
        const answered = () => {
          if (--missing === 0) enough.resolve()
        }
        const working = Promise.all([...writers, reader].map(one => one.work(answered)))
        await Promise.race([enough.promise, working])
        await server.kill()
        await working
        caught += writers.filter(writer => writer.pending.length > 0).length
        server = await SpawnedServer.start(location)
        for (const writer of writers) await writer.check(server)
        await reader.check(server, since)
        for (const writer of writers) await writer.repeat(server)
      }
      assert.ok(caught > 0, 'no kill met a request')
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    } finally {
      await server[Symbol.asyncDispose]()
      await remove()
    }
  },
)

interface Line {
  op: 'upsert' | 'delete'
  data: Record<string, unknown>
}

interface Stored {
  digest: string
  day: string
}

/** Ingests one request after the other and knows what was acknowledged. */
class Writer {
  readonly connection: string
  readonly #token: string
  readonly #random: Random
  #server: SpawnedServer
  #made = 0
  /** By record id; what was deleted is gone. */
  acknowledged = new Map<string, Stored>()
  /** The lines of the request that got no answer. */
  pending: Line[] = []

  private constructor(server: SpawnedServer, token: string, random: Random, connection: string) {
    this.#server = server
    this.#token = token
    this.#random = random
    this.connection = connection
  }

  static async start(server: SpawnedServer, token: string, random: Random): Promise<Writer> {
    const made = await server.post('/v1/owner/connections', token, {
      source_id: MAILBOX.source.id,
      display_name: 'Killed',
    })
    return new Writer(server, token, random, made.body.connection_id)
  }

  /** Sends requests until the server is gone. */
  async work(answered: () => void): Promise<void> {
    for (;;) {
      this.pending = this.#nextLines()
      try {
        await this.#send(this.pending)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        return
      }
      this.acknowledged = applied(this.acknowledged, this.pending)
      this.pending = []
      answered()
    }
  }

  async #send(lines: Line[]): Promise<void> {
    const body = lines.map(line => JSON.stringify(line)).join('\n')
    const answer = await this.#server.ingest('messages', this.connection, this.#token, body)
    assert.deepEqual([answer.status, answer.body.rejected, answer.body.seen], [200, 0, lines.length])
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

  /** What is stored is what was acknowledged, and of the unanswered request whole transactions from its beginning. */
  async check(server: SpawnedServer): Promise<void> {
    const stored = await this.#stored(server)
    const possible = [...beginnings(this.acknowledged, this.pending)]
    const found = possible.some(state => sameState(state, stored))
    assert.ok(found, `${this.connection}: ${difference(this.acknowledged, stored)}`)
    await this.#checkTallies(server, stored)
  }

  /** The unanswered request sent again leaves no trace of the kill. */
  async repeat(server: SpawnedServer): Promise<void> {
    this.#server = server
    if (this.pending.length > 0) await this.#send(this.pending)
    const expected = applied(this.acknowledged, this.pending)
    const stored = await this.#stored(server)
    assert.ok(sameState(expected, stored), `${this.connection} again: ${difference(expected, stored)}`)
    await this.#checkTallies(server, stored)
  }

  /** Everything by listing; texts that lists cut are read in full and must be what their digest says. */
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

  async work(answered: () => void): Promise<void> {
    for (let no = 0; ; no++) {
      const { acknowledged, connection } = this.#writers[no % this.#writers.length] as Writer
      const [id] = acknowledged.keys()
      const window = `/records/${id}/field-window?field=body&connection_id=${connection}`
      const path = id && no % 3 > 0 ? window : `/records?limit=3&connection_id=${connection}`
      try {
        const response = await this.#server.request(`/v1/streams/messages${path}`, this.#token)
        const request = response.headers.get('Request-Id') ?? ''
        // Whatever the answer is, its line was written before the answer began.
        this.#answered.add(request)
        await response.json()
        answered()
      } catch {
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

function applied(before: Map<string, Stored>, lines: readonly Line[]): Map<string, Stored> {
  const state = new Map(before)
  for (const { op, data } of lines) {
    const id = String(data.id)
    if (op === 'delete') state.delete(id)
    else state.set(id, { digest: digestOf(String(data.body)), day: String(data.received_at).slice(0, 10) })
  }
  return state
}

/** What may be there after a request that got no answer: nothing of it, all of it, or its first transactions. */
function* beginnings(before: Map<string, Stored>, lines: readonly Line[]) {
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
