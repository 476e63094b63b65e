import { createHash, randomBytes } from 'node:crypto'
import { expect, expectEqual } from './check.ts'
import { DECLARATION, LINES } from './scratch-declaration.ts'
import type { Answer, Loose, Target } from './target.ts'

const ELSEWHERE = 'https://elsewhere.example/blob'

/**
 * The suite’s own source on the server under test. PDPP Core has no routes for writing, so this uses the owner routes
 * of Footnote; a server without them shows fewer rows.
 */
export class Scratch {
  readonly connection_id: string
  readonly #target: Target
  #clients: string[] = []

  constructor(target: Target, connection_id: string) {
    this.#target = target
    this.connection_id = connection_id
  }

  /** Null if the server has other ways of writing. */
  static async make(target: Target): Promise<Scratch | null> {
    const declared = await target.owner('/v1/owner/declarations', json('POST', DECLARATION))
    if (declared.status === 404 || declared.status === 405) return null
    expect(declared.status < 300, `The declaration of the suite is refused: ${declared.text}`)
    const source_id = DECLARATION.source.id
    const body = { source_id, display_name: `Conformance ${newId()}` }
    const made = await target.owner('/v1/owner/connections', json('POST', body))
    expect(made.status === 201, `The connection of the suite is refused: ${made.text}`)
    const scratch = new Scratch(target, made.body.connection_id)
    const map = await scratch.#blob()
    for (const [stream, lines] of Object.entries(LINES)) {
      if (lines(map).length > 0) await scratch.write(stream, lines(map))
    }
    return scratch
  }

  /** The same source as another target sees it. */
  seenBy(target: Target): Scratch {
    return new Scratch(target, this.connection_id)
  }

  async #blob(): Promise<Loose> {
    const bytes = 'a map of the hill'
    const { body } = await this.#target.owner('/v1/blobs', {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: bytes,
    })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const facts = { mime_type: 'text/plain', size_bytes: bytes.length, sha256 }
    return { blob_id: body?.blob_id, ...facts, fetch_url: ELSEWHERE }
  }

  declare(declaration: Loose): Promise<Answer> {
    return this.#target.owner('/v1/owner/declarations', json('POST', declaration))
  }

  /** Writes records; every one of them must be accepted. */
  async write(stream: string, lines: Loose[]): Promise<void> {
    const { rejected, rejections } = await this.tryToWrite(stream, lines)
    expectEqual(rejected, 0, `The number of rejected records (${JSON.stringify(rejections)})`)
  }

  async tryToWrite(stream: string, lines: Loose[]): Promise<Loose> {
    const path = `/v1/ingest/${stream}?connection_id=${this.connection_id}`
    const body = lines.map(line => JSON.stringify(line)).join('\n')
    const headers = { 'Content-Type': 'application/x-ndjson' }
    const answer = await this.#target.owner(path, { method: 'POST', headers, body })
    expect(answer.status === 200, `Writing is ${answer.status}: ${answer.text}`)
    return answer.body
  }

  /** A grant on the own source, or on another connection of it, and its token. */
  async grant(terms: Loose = {}): Promise<{ token: string; grant: Loose }> {
    const body = { client_name: 'PDPP conformance suite', connections: [this.connection_id], ...terms }
    const { status, body: made, text } = await this.#target.owner('/v1/owner/grants', json('POST', body))
    expect(status === 201, `A grant is refused: ${text}`)
    const [grant] = made.grants
    this.#clients.push(grant.grant_id)
    return { token: made.access_token, grant }
  }

  revoke(grant_id: string): Promise<Answer> {
    return this.#target.owner(`/v1/owner/grants/${grant_id}`, { method: 'DELETE' })
  }

  /** Removes the records and ends the grants; the declaration stays, because declarations cannot be removed. */
  async remove(): Promise<void> {
    for (const grant_id of this.#clients) await this.revoke(grant_id)
    await this.#target.owner(`/v1/owner/connections/${this.connection_id}`, { method: 'DELETE' })
  }
}

export function json(method: string, body: Loose): RequestInit {
  return { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

/** Checks can be repeated on the same source, so each uses new ids. */
export function newId(): string {
  return `x${randomBytes(6).toString('hex')}`
}
