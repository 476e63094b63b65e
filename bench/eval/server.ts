import type { ModelProcess } from '../../src/meaning/model-process.ts'
import { Cursors } from '../../src/model/reading/cursor.ts'
import type { Without } from '../../src/model/search/refinements.ts'
import { MOST_WINDOWS } from '../../src/model/search/tuning.ts'
import { embedRecords } from '../../src/origin/meaning.ts'
import { createOrigin } from '../../src/origin/origin.ts'
import { SEARCH_ALLOWANCE } from '../../src/store/budget/budget.ts'
import { Store } from '../../src/store/store.ts'
import { source, stream } from '../../test/mailbox.ts'
import { type Engine, freshLocation } from '../../test/places.ts'
import type { JudgedCollection } from './collections.ts'
import { passagesAround } from './long-records.ts'
import type { Shown } from './measures.ts'

const TEXT = { type: 'string' }
const DECLARATION = {
  ...source('judged', 'Judged collection'),
  streams: [
    stream(
      'documents',
      {
        title: { ...TEXT, x_pdpp_role: 'primary-title' },
        text: { ...TEXT, x_pdpp_role: 'primary-text' },
        who: { ...TEXT, x_pdpp_role: 'actor' },
        thread: TEXT,
        at: { ...TEXT, format: 'date-time', x_pdpp_role: 'event-time' },
      },
      {
        cursor_field: 'at',
        schema: { x_pdpp_conversation: { key: 'thread', order: ['at'] } },
        query: { search: { lexical_fields: ['title', 'text', 'who'] } },
      },
    ),
  ],
}
const BATCH = 1_000

interface Hit {
  record_key: string
  match_windows: { start_chars: number; end_chars: number }[]
}

interface Answer {
  connection_id: string
  data: Hit[]
}

/** A store with the documents of a collection, which can be searched with and without refinements. */
export class JudgedServer implements AsyncDisposable {
  readonly #store: Store
  readonly #token: string
  readonly #remove: () => Promise<void>
  /** Computes the meaning of texts, if that is measured. */
  readonly #model: ModelProcess | null

  private constructor(store: Store, token: string, remove: () => Promise<void>, model: ModelProcess | null) {
    this.#model = model
    this.#store = store
    this.#token = token
    this.#remove = remove
  }

  static async fill(
    engine: Engine,
    { name, documents }: Pick<JudgedCollection, 'name' | 'documents'>,
    model: ModelProcess | null,
  ): Promise<JudgedServer> {
    const { location, remove } = await freshLocation(engine)
    const store = await Store.open(location)
    const now = new Date().toISOString()
    const token = await store.writer.call('createOwnerToken', { owner_id: store.owner_id, now })
    const server = new JudgedServer(store, token, remove, model)
    const call = server.#caller([])
    await call('/v1/owner/declarations', JSON.stringify(DECLARATION))
    const connection = { source_id: DECLARATION.source.id, display_name: name }
    const { connection_id } = await call('/v1/owner/connections', JSON.stringify(connection))
    for (let first = 0; first < documents.length; first += BATCH) {
      const lines = documents.slice(first, first + BATCH).map(data => JSON.stringify({ data }))
      await call(
        `/v1/ingest/documents?connection_id=${connection_id}`,
        lines.join('\n'),
        'application/x-ndjson',
      )
    }
    if (model) await embedRecords(store, model, () => true)
    return server
  }

  #caller(searchWithout: Without) {
    const { dispatch } = createOrigin({
      settings: {},
      store: this.#store,
      cursors: new Cursors(this.#store.sealingKey, 3_600),
      publicUrl: 'http://localhost',
      rateLimit: null,
      // On a busy machine time would run out, and the figures are about what is found.
      searchAllowance: { ...SEARCH_ALLOWANCE, processorMs: 60_000 },
      searchWithout,
      ...(this.#model && { meaning: this.#model }),
      changesTtlSeconds: 3_600,
      clock: () => new Date(),
      report: error => console.error(error),
    })
    return async (path: string, body?: string, type = 'application/json') => {
      const headers = { Authorization: `Bearer ${this.#token}`, 'Content-Type': type }
      const init = body === undefined ? { headers } : { method: 'POST', body, headers }
      const response = await dispatch(new Request(`http://localhost${path}`, init))
      const answer = (await response.json()) as Answer
      if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
      return answer
    }
  }

  /** Runs one query after the other with the same refinements; returns the hits, best first. */
  asker(without: Without, parameters: string): (text: string) => Promise<Hit[]> {
    const call = this.#caller(without)
    return async text => {
      const q = Array.from(text).slice(0, 1_000).join('')
      const { data } = await call(`/v1/search?${parameters}&q=${encodeURIComponent(q)}`)
      return data
    }
  }

  /** What each query finds, best first; of a long record, what is read around its windows. */
  async ask({ queries, passages }: JudgedCollection, without: Without): Promise<Shown> {
    const ask = this.asker(without, passages ? `limit=10&windows=${MOST_WINDOWS}` : 'limit=10&windows=0')
    const shown: Shown = new Map()
    for (const { id, text, record = '' } of queries) {
      const hits = await ask(text)
      const within = passages?.get(record)
      if (within) {
        const windows = hits.find(({ record_key }) => record_key === record)?.match_windows ?? []
        shown.set(
          id,
          windows.map(window => passagesAround(within, window)),
        )
      } else
        shown.set(
          id,
          hits.map(({ record_key }) => [record_key]),
        )
    }
    return shown
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]()
    await this.#remove()
  }
}
