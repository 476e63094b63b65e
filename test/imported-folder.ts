import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type {
  BlobEvent,
  Finding,
  ImportEvent,
  Lookalike,
  RecordEvent,
  RejectionEvent,
} from '../src/importers/importer.ts'
import { IMPORTERS } from '../src/importers/importers.ts'
import { findIn, isLookalike, recognise } from '../src/importers/recognition.ts'
import { openSource } from '../src/importers/source/open.ts'
import type { Source } from '../src/importers/source/source.ts'
import type { Declaration } from '../src/model/declaration/declaration.ts'
import { parseDeclaration } from '../src/model/declaration/parse-declaration.ts'
import { validatorOf } from '../src/model/declaration/schema.ts'
import type { Json, JsonObject } from '../src/model/json.ts'
import { parseJson, plainNumbers } from '../src/model/json.ts'
import { zipOf } from './archives.ts'

export type Files = Record<string, string | Uint8Array | Json[] | JsonObject>

/** A folder with these files; lists and objects are written as JSON. */
export function folderWith(context: TestContext, files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'footnote-test-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytesOf(content))
  }
  return folder
}

/** The same as a zip without compression. */
export function zipWith(context: TestContext, files: Files): string {
  const entries = Object.entries(files).map(([path, content]) => ({
    path,
    content: bytesOf(content),
    stored: true,
  }))
  return join(folderWith(context, { 'export.zip': zipOf(entries) }), 'export.zip')
}

function bytesOf(content: Files[string]): string | Uint8Array {
  return typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content)
}

export interface Reading {
  finding: Finding
  declaration: Declaration
  records: RecordEvent[]
  rejections: RejectionEvent[]
  blobs: (BlobEvent & { content: Buffer })[]
  /** The data of a stream's records. */
  of(stream: string): JsonObject[]
}

/** The formats as which a source is recognised; the one with the most items comes first. */
export async function formatsOf(path: string): Promise<string[]> {
  await using source = await openSource(path)
  const { found } = await recognise(source, IMPORTERS)
  return found.map(({ importer }) => importer.format)
}

/** What the importer of one format finds in a source. */
export async function foundAs(format: string, source: Source): Promise<Finding | Lookalike | null> {
  const importer = IMPORTERS.find(each => each.format === format) ?? assert.fail(format)
  return findIn(importer, source)
}

export async function lookalikeOf(format: string, path: string): Promise<string | null> {
  await using source = await openSource(path)
  const finding = await foundAs(format, source)
  return isLookalike(finding) ? finding.lookalike : null
}

/**
 * Reads everything and checks what every importer must guarantee: the declaration is valid, each record matches it and
 * contains its key, no key is used for two different records, a second read yields the same, and resuming after any
 * checkpoint yields exactly the rest.
 */
export async function readingOf(format: string, path: string, timeZone = 'UTC'): Promise<Reading> {
  await using source = await openSource(path)
  const finding = await foundAs(format, { ...source, timeZone })
  if (finding === null || isLookalike(finding)) assert.fail(`not recognised: ${JSON.stringify(finding)}`)
  const declaration = parseDeclaration(finding.declaration as unknown as Json)
  const events = await collect(finding.read(null))
  assert.deepEqual(await collect(finding.read(null)), events, 'a second reading')
  for (const [index, event] of events.entries()) {
    if (event.kind !== 'checkpoint') continue
    const wanted = ofKind(events.slice(index), 'record', 'rejection')
    assert.deepEqual(ofKind(await collect(finding.read(event.state)), 'record', 'rejection'), wanted)
  }
  const records = ofKind(events, 'record') as RecordEvent[]
  const seen = new Map<string, JsonObject>()
  for (const { stream, key, data, place } of records) {
    const declared = declaration.streams.find(({ name }) => name === stream) ?? assert.fail(stream)
    assert.equal(validatorOf(declared.schema)(plainNumbers(data)), null, place)
    assert.equal(data[declared.primary_key[0] ?? ''], key)
    assert.match(key, /^[a-z2-9]{16}$/)
    for (const name of Object.keys(data)) assert.ok(name in declared.schema.properties, `${name} is declared`)
    const known = seen.get(`${stream} ${key}`)
    if (known) assert.deepEqual(data, known)
    seen.set(`${stream} ${key}`, data)
  }
  return {
    finding,
    declaration,
    records,
    rejections: ofKind(events, 'rejection') as RejectionEvent[],
    blobs: ofKind(events, 'blob') as Reading['blobs'],
    of: stream => records.filter(record => record.stream === stream).map(({ data }) => data),
  }
}

function ofKind(events: readonly ImportEvent[], ...kinds: ImportEvent['kind'][]): ImportEvent[] {
  return events.filter(({ kind }) => kinds.includes(kind))
}

async function collect(events: AsyncIterable<ImportEvent>): Promise<ImportEvent[]> {
  const all: ImportEvent[] = []
  for await (const event of events) {
    if (event.kind !== 'blob') {
      all.push(copyOf(event))
      continue
    }
    const chunks: Uint8Array[] = []
    if (event.bytes instanceof Uint8Array) chunks.push(event.bytes)
    else for await (const chunk of event.bytes) chunks.push(chunk)
    const content = Buffer.concat(chunks)
    all.push({ ...event, bytes: content, content } as ImportEvent)
  }
  return all
}

function copyOf<T>(event: T): T {
  return parseJson(JSON.stringify(event)) as T
}
