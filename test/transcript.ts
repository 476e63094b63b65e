import assert from 'node:assert/strict'
import type { Engine } from './places.ts'
import type { Answer } from './test-server.ts'

/** A refusal contains the address of the page where the owner can let the client read more. */
const CLIENT_ID = /\bcli_[a-z0-9]+/g
const VARYING = new Set([
  'request_id',
  'next_cursor',
  'previous_cursor',
  'next_changes_since',
  'created_at',
  'access_token',
])

/** Times from the server have milliseconds; times in test data do not. */
const NOW = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,3}Z$/

const transcripts = new Map<string, { engine: Engine; lines: string[] }>()

/**
 * Records the answers of one engine and compares them with those of the other: same results, same order, same errors.
 */
export class Transcript {
  readonly #title: string
  readonly #engine: Engine
  readonly #names: [value: string, name: string][] = []
  readonly #lines: string[] = []

  constructor(title: string, engine: Engine) {
    this.#title = title
    this.#engine = engine
  }

  /** Replaces a random id by a name that is the same on both engines. */
  name(value: string, name: string): void {
    this.#names.push([value, name])
  }

  note(what: string, answer: Answer): Answer {
    this.add(what, answer.status, answer.body)
    return answer
  }

  add(what: string, ...values: unknown[]): void {
    const text = JSON.stringify(values, (key, value) =>
      VARYING.has(key) ? typeof value : typeof value === 'string' && NOW.test(value) ? 'now' : value,
    )
    const line = `${what} → ${text}`.replace(CLIENT_ID, 'CLIENT')
    this.#lines.push(this.#names.reduce((named, [value, name]) => named.replaceAll(value, name), line))
  }

  /** The first engine's transcript is kept; the second's must be the same. */
  compare(): void {
    const other = transcripts.get(this.#title)
    if (other && other.engine !== this.#engine) assert.deepEqual(this.#lines, other.lines)
    else transcripts.set(this.#title, { engine: this.#engine, lines: this.#lines })
  }
}
