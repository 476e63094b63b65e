import { readBlob, uploadBlob } from '../../api/blobs.ts'
import { type BegunImport, type listRejections, noteImport } from '../../api/owner/imports.ts'
import { ingest } from '../../api/records.ts'
import { addressOf, type BodyOf, type ReplyOf } from '../../api/route.ts'
import { readAttachments } from '../../importers/extraction/attachment-texts.ts'
import type { BlobEvent, Finding, ImportEvent } from '../../importers/importer.ts'
import type { LeftOut } from '../../importers/source/source.ts'
import type { Json } from '../../model/json.ts'
import { passingBytes } from '../../store/engine/heap.ts'
import type { OwnServer } from '../own-server.ts'

export type Counts = Pick<BegunImport, 'seen' | 'added' | 'updated' | 'unchanged' | 'rejected'>
export type Rejected = Pick<ReplyOf<typeof listRejections>['data'][number], 'place' | 'code' | 'message'>

const BATCH_RECORDS = 500
const BATCH_CHARS = 1024 * 1024
/** A batch ends at a checkpoint; without a checkpoint it ends at this many times its usual size. */
const WITHOUT_CHECKPOINT = 4
const MOST_BLOB_BYTES_WAITING = 8 * 1024 * 1024
const BATCH_KNOWN_BYTES = 2 * 1024 * 1024
const MOST_REMEMBERED_BLOBS = 20_000
const REJECTIONS_AT_ONCE = 200
const MOST_TEXT = 500

interface Batch {
  streams: Map<string, { lines: string[]; places: string[] }>
  records: number
  chars: number
  rejections: Rejected[]
  uploads: Promise<void>[]
  /** Blobs that were stored already, by their ids. */
  known: Map<string, WholeBlob>
  knownBytes: number
}

interface WholeBlob {
  bytes: Uint8Array
  mime_type: string
}

/**
 * Writes what an importer yields through the owner's own API. The next batch is read while the last one is written. A
 * checkpoint is stored once everything before it is stored, so an interrupted import resumes there.
 */
export class ImportRun {
  readonly counts: Counts
  readonly #server: OwnServer
  readonly #begun: BegunImport
  readonly #onProgress: (seen: number, done: number) => void
  readonly #onStored: (checkpoint: Json) => Promise<void>
  #batch = emptyBatch()
  #writing: Promise<void> = Promise.resolve()
  #failure: unknown = null
  #blobBytesWaiting = 0
  readonly #passed = passingBytes()
  readonly #blobs = new Set<string>()
  #read = 0

  /** `onStored` is called once everything before a checkpoint is stored. */
  constructor(
    server: OwnServer,
    begun: BegunImport,
    onProgress: (seen: number, done: number) => void,
    onStored: (checkpoint: Json) => Promise<void> = async () => {},
  ) {
    const { seen, added, updated, unchanged, rejected } = begun
    this.counts = { seen, added, updated, unchanged, rejected }
    this.#server = server
    this.#begun = begun
    this.#onProgress = onProgress
    this.#onStored = onStored
    this.#read = seen
  }

  async run(finding: Pick<Finding, 'read' | 'declaration'>, leftOut: readonly LeftOut[]): Promise<Counts> {
    try {
      if (!this.#begun.resumed)
        for (const { path, code, message } of leftOut) this.#reject({ place: path, code, message })
      const events = readAttachments(finding.read(this.#begun.checkpoint), finding.declaration)
      for await (const event of events) await this.#take(event)
      await this.#flush(null)
      await this.#writing
      if (this.#failure) throw this.#failure
      await this.#note({ state: 'finished', counts: this.counts })
    } catch (error) {
      await this.#writing
      await this.#note({ state: 'failed' }).catch(() => {})
      throw error
    }
    return this.counts
  }

  async #take(event: ImportEvent): Promise<void> {
    const batch = this.#batch
    if (event.kind === 'record') {
      const line = JSON.stringify({ key: event.key, place: cut(event.place), data: event.data })
      const stream = batch.streams.get(event.stream) ?? { lines: [], places: [] }
      stream.lines.push(line)
      stream.places.push(event.place)
      batch.streams.set(event.stream, stream)
      batch.records++
      batch.chars += line.length
      this.#passed(line.length)
      this.#read++
      if (isFull(batch, WITHOUT_CHECKPOINT)) await this.#flush(null)
      // No other record of this size is read while this one is being written.
      if (line.length > BATCH_CHARS * WITHOUT_CHECKPOINT) await this.#writing
    } else if (event.kind === 'blob') await this.#upload(event)
    else if (event.kind === 'rejection') this.#reject(event)
    else {
      this.#onProgress(this.#read, event.done)
      if (isFull(batch, 1) || batch.rejections.length >= REJECTIONS_AT_ONCE) await this.#flush(event.state)
    }
  }

  #reject({ place, code, message }: Rejected): void {
    this.#read++
    this.#batch.rejections.push({ place: cut(place), code: cut(code), message: cut(message) })
  }

  /** Uploads whole blobs while reading continues, up to a limit; the batch waits for its uploads. */
  async #upload(event: BlobEvent): Promise<void> {
    const { blob_id, bytes, mime_type } = event
    const batch = this.#batch
    if (!(bytes instanceof Uint8Array)) {
      const stream = this.#collecting(bytes)
      const body = ReadableStream.from(stream.chunks())
      await this.#server.call(uploadBlob, {}, { type: mime_type, body }).catch(error => {
        // The importer knows it too, and says which file could not be read.
        if (!stream.hasFailed()) throw error
      })
      return
    }
    const whole = { bytes, mime_type }
    if (blob_id !== null && this.#blobs.has(blob_id)) return keepKnown(batch, blob_id, whole)
    if (this.#blobs.size >= MOST_REMEMBERED_BLOBS) this.#blobs.clear()
    if (blob_id !== null) this.#blobs.add(blob_id)
    if (this.#blobBytesWaiting > MOST_BLOB_BYTES_WAITING) await Promise.all(batch.uploads)
    this.#blobBytesWaiting += bytes.length
    const upload = this.#uploadMissing(blob_id, whole)
      .then(isKnown => {
        if (isKnown && blob_id !== null) keepKnown(batch, blob_id, whole)
      })
      .finally(() => {
        this.#blobBytesWaiting -= bytes.length
      })
    upload.catch(() => {})
    batch.uploads.push(upload)
  }

  #collecting(bytes: AsyncIterable<Uint8Array>) {
    const passed = this.#passed
    let failed = false
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        for await (const chunk of bytes) {
          passed(chunk.length)
          yield chunk
        }
      } catch (error) {
        failed = true
        throw error
      }
    }
    return { chunks, hasFailed: () => failed }
  }

  /** Uploads a blob unless it is stored, and returns whether it was. */
  async #uploadMissing(blob_id: string | null, { bytes, mime_type }: WholeBlob): Promise<boolean> {
    if (blob_id !== null) {
      const known = await this.#server.request(addressOf(readBlob, { blob_id }), { method: 'HEAD' })
      if (known.ok) return true
    }
    await this.#server.call(uploadBlob, {}, { type: mime_type, body: bytes })
    return false
  }

  /** Starts writing the batch once the previous one is written. */
  async #flush(checkpoint: Json | null): Promise<void> {
    const batch = this.#batch
    this.#batch = emptyBatch()
    await this.#writing
    if (this.#failure) throw this.#failure
    this.#writing = this.#write(batch, checkpoint).catch(error => {
      this.#failure = error
    })
  }

  async #write(batch: Batch, checkpoint: Json | null): Promise<void> {
    await Promise.all(batch.uploads)
    for (const [stream, { lines, places }] of batch.streams) {
      const { connection_id, import_id } = this.#begun
      const isLong = batch.chars > BATCH_CHARS * WITHOUT_CHECKPOINT
      const body = isLong ? ReadableStream.from(encodedLines(lines)) : Buffer.from(lines.join('\n'))
      const sent = { query: { connection_id, import_id }, type: 'application/x-ndjson', body }
      const answer = await this.#server.call(ingest, { stream }, sent)
      this.counts.seen += answer.seen
      for (const name of ['added', 'updated', 'unchanged'] as const) this.counts[name] += answer[name]
      for (const { line, code, message } of answer.rejections) {
        batch.rejections.push({ place: cut(places[line - 1] ?? ''), code, message: cut(message) })
        this.counts.seen--
      }
    }
    // A known blob may have been deleted with the last record that had it. Now the records of this batch keep it.
    for (const [blob_id, blob] of batch.known) await this.#uploadMissing(blob_id, blob)
    await this.#writeRejections(batch.rejections)
    if (checkpoint === null) return
    await this.#note({ checkpoint, counts: this.counts })
    await this.#onStored(checkpoint)
  }

  async #writeRejections(rejections: Rejected[]): Promise<void> {
    for (let start = 0; start < rejections.length; start += REJECTIONS_AT_ONCE) {
      const part = rejections.slice(start, start + REJECTIONS_AT_ONCE)
      const first = this.counts.rejected
      await this.#note({ rejections: part.map((rejection, index) => ({ no: first + index, ...rejection })) })
      this.counts.rejected += part.length
      this.counts.seen += part.length
    }
  }

  async #note(note: BodyOf<typeof noteImport>): Promise<void> {
    await this.#server.call(noteImport, this.#begun, { json: note })
  }
}

function emptyBatch(): Batch {
  return {
    streams: new Map(),
    records: 0,
    chars: 0,
    rejections: [],
    uploads: [],
    known: new Map(),
    knownBytes: 0,
  }
}

function keepKnown(batch: Batch, blob_id: string, blob: WholeBlob): void {
  if (batch.known.has(blob_id)) return
  batch.known.set(blob_id, blob)
  batch.knownBytes += blob.bytes.length
}

function isFull(batch: Batch, times: number): boolean {
  const { records, chars, knownBytes } = batch
  return (
    records >= BATCH_RECORDS * times ||
    chars >= BATCH_CHARS * times ||
    knownBytes >= BATCH_KNOWN_BYTES * times
  )
}

function cut(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT)}…`
}

const PART_CHARS = 256 * 1024

/** Lines as UTF-8, in parts, so that there is never a second copy of a whole long line in memory. */
export function* encodedLines(lines: readonly string[], partChars = PART_CHARS): Generator<Uint8Array> {
  for (const line of lines) {
    for (let start = 0; start < line.length; ) {
      const end = Math.min(line.length, start + partChars)
      const next = isHighSurrogate(line.charCodeAt(end - 1)) ? end + 1 : end
      yield Buffer.from(line.slice(start, next))
      start = next
    }
    yield Buffer.from('\n')
  }
}

/** Whether the unit is the first half of a surrogate pair. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
