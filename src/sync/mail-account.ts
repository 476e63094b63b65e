import {
  type FetchMessageObject,
  type FetchQueryObject,
  ImapFlow,
  type ImapFlowError,
  type ListResponse,
} from 'imapflow'
import { CodedError } from '../model/errors.ts'
import type { MailAddress } from './address.ts'
import { mailError } from './mail-errors.ts'

const MIB = 1024 * 1024
/** The size of the parts in which a large message is fetched. */
const CHUNK_BYTES = MIB
/** Servers that ignore the requested part send the whole message. */
const MOST_LITERAL_BYTES = 64 * MIB
/** The numbers of all messages of a folder may be sent in one line. */
const MOST_LINE_BYTES = 16 * MIB
const LOOK_MS = 500
const LOGOUT_MS = 2_000

export type Login = { user: string; pass: string } | { user: string; accessToken: string }

/** How long to wait for the server, and how much it may send without making progress. */
export interface Patience {
  connectMs: number
  answerMs: number
  idleBytes: number
}

const PATIENCE: Patience = { connectMs: 30_000, answerMs: 120_000, idleBytes: 128 * MIB }

interface AccountOptions {
  /** Ends the connection immediately, whatever it is waiting for. */
  stop?: AbortSignal | undefined
  patience?: Patience | undefined
}

interface OpenFolder {
  uid_validity: string
  uid_next: number
  messages: number
  /** Null if the server does not number changes. */
  modseq: string | null
}

/**
 * A mail account that is only read: folders are opened with EXAMINE, messages are fetched with PEEK. Every failure is a
 * CodedError.
 */
export class MailAccount implements AsyncDisposable {
  readonly address: MailAddress
  readonly #client: ImapFlow
  readonly #patience: Patience
  #failure: unknown = null
  #receivedBefore = 0
  readonly #watch: NodeJS.Timeout
  readonly #stop: AbortSignal | undefined
  readonly #stopped = () => {
    this.#failure ??= new CodedError('mail_server_failed', 'The sync was stopped.')
    this.#client.close()
  }

  private constructor(address: MailAddress, login: Login, { stop, patience = PATIENCE }: AccountOptions) {
    this.address = address
    this.#patience = patience
    const { host, port, security } = address
    this.#client = new ImapFlow({
      ...{ host, port, auth: login },
      secure: security === 'tls',
      ...(security === 'tls' ? {} : { doSTARTTLS: security === 'starttls' }),
      ...{ logger: false, disableAutoIdle: true, disableCompression: true },
      clientInfo: { name: 'Footnote', version: false, vendor: false, os: false, 'support-url': false },
      connectionTimeout: patience.connectMs,
      greetingTimeout: patience.connectMs,
      socketTimeout: patience.answerMs,
      maxLineLength: MOST_LINE_BYTES,
      maxLiteralSize: MOST_LITERAL_BYTES,
      maxResponseSize: MOST_LITERAL_BYTES + MIB,
    })
    this.#client.on('error', error => {
      this.#failure ??= error
    })
    this.#watch = setInterval(() => this.#look(), LOOK_MS).unref()
    this.#stop = stop
    stop?.addEventListener('abort', this.#stopped)
  }

  static async open(address: MailAddress, login: Login, options: AccountOptions = {}): Promise<MailAccount> {
    options.stop?.throwIfAborted()
    const account = new MailAccount(address, login, options)
    try {
      await account.#asked(() => account.#client.connect())
      return account
    } catch (error) {
      account.#end()
      throw error
    }
  }

  /** Whether messages have Gmail ids and labels. */
  get isGmail(): boolean {
    return this.#client.capabilities.has('X-GM-EXT-1')
  }

  folders(): Promise<ListResponse[]> {
    const statusQuery = { messages: true, uidNext: true, uidValidity: true, highestModseq: true }
    return this.#asked(() => this.#client.list({ statusQuery }))
  }

  /** Opens a folder read-only; null if the server refuses. */
  async examine(path: string): Promise<OpenFolder | null> {
    const opened = await this.#asked(() =>
      this.#client.mailboxOpen(path, { readOnly: true }).catch((error: ImapFlowError) => {
        if (error.responseStatus === 'NO') return null
        throw error
      }),
    )
    if (opened === null) return null
    const { uidValidity, uidNext, exists, highestModseq, noModseq } = opened
    const hasModseq = this.#client.enabled.has('CONDSTORE') && highestModseq && !noModseq
    return {
      uid_validity: String(uidValidity),
      uid_next: uidNext,
      messages: exists,
      modseq: hasModseq ? String(highestModseq) : null,
    }
  }

  /** The numbers of all messages of the open folder. */
  async numbers(): Promise<number[]> {
    const found = await this.#asked(() => this.#client.search({ all: true }, { uid: true }))
    if (!found) throw new CodedError('mail_server_failed', `${this.address.host} did not list its messages.`)
    return found
  }

  /** Facts about messages of the open folder, at most `most`; about all of them, or those that changed since. */
  async *facts(
    range: string,
    query: FetchQueryObject,
    most: number,
    since?: string,
  ): AsyncGenerator<FetchMessageObject> {
    let told = 0
    try {
      const changedSince = since === undefined ? {} : { changedSince: BigInt(since) }
      for await (const message of this.#client.fetch(range, query, { uid: true, ...changedSince })) {
        // Changes that happen meanwhile are reported too.
        if (++told > most * 2 + 1_000) throw this.endless()
        this.#progress()
        yield message
      }
    } catch (error) {
      throw this.#coded(error)
    }
    if (this.#failure) throw this.#coded(this.#failure)
  }

  /** A message of the open folder in parts; null if it is gone. */
  async *large(uid: number, mostBytes: number): AsyncGenerator<Uint8Array> {
    const found = await this.#asked(() =>
      this.#client.download(String(uid), undefined, {
        ...{ uid: true, chunkSize: CHUNK_BYTES, maxBytes: mostBytes },
      }),
    )
    if (!('content' in found)) return
    try {
      for await (const chunk of found.content as AsyncIterable<Buffer>) {
        this.#progress()
        yield chunk
      }
    } catch (error) {
      throw this.#coded(error)
    }
  }

  /** Signs out, unless the server is still busy with an abandoned command. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#failure === null && this.#client.usable) {
      const patience = setTimeout(() => this.#client.close(), LOGOUT_MS)
      await this.#client.logout().catch(() => {})
      clearTimeout(patience)
    }
    this.#end()
  }

  #end(): void {
    clearInterval(this.#watch)
    this.#stop?.removeEventListener('abort', this.#stopped)
    this.#client.close()
  }

  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work()
      this.#progress()
      return answer
    } catch (error) {
      throw this.#coded(error)
    }
  }

  /** The error of the connection says more than the error of the command that failed because of it. */
  #coded(error: unknown): CodedError {
    const { authenticationFailed } = error as { authenticationFailed?: boolean }
    return mailError(authenticationFailed ? error : (this.#failure ?? error), this.address)
  }

  #progress(): void {
    this.#receivedBefore = this.#client.stats().received
  }

  /** Ends the connection to a server that keeps sending. */
  #look(): void {
    if (this.#client.stats().received - this.#receivedBefore <= this.#patience.idleBytes) return
    this.endless()
    this.#client.close()
  }

  /** The error for a server that sends more than was requested. It is disconnected without signing out. */
  endless(): CodedError {
    const message = `${this.address.host} keeps sending what nobody asked for. The sync has stopped.`
    const failure = new CodedError('mail_server_failed', message)
    this.#failure ??= failure
    return failure
  }
}
