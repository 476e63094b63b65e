import type { Finding, ImportEvent, RecordEvent } from '../src/importers/importer.ts'
import { IMPORTERS } from '../src/importers/importers.ts'
import { recognise } from '../src/importers/recognition.ts'
import type { Source, SourceFile } from '../src/importers/source/source.ts'
import type { Json } from '../src/model/json.ts'

/** Files in memory as a source; they are read in chunks of the given size. */
export function sourceOf(
  files: Record<string, string | Uint8Array>,
  { kind = 'folder', chunk = 65_536 }: { kind?: Source['kind']; chunk?: number } = {},
): Source {
  const list = Object.entries(files).map(([path, content]): SourceFile => {
    const bytes = Buffer.from(content as Uint8Array)
    return {
      path,
      size: bytes.length,
      modified_at: '2026-01-01T00:00:00.000Z',
      head: async () => bytes.subarray(0, 4096),
      async *open(start = 0) {
        for (let at = start; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
      },
    }
  })
  return { path: '/made/up', name: 'up', kind, files: list, leftOut: [], async [Symbol.asyncDispose]() {} }
}

/** The finding with the most items in a source. */
export async function findingOf(source: Source): Promise<{ format: string; finding: Finding } | null> {
  const [best] = (await recognise(source, IMPORTERS)).found
  return best ? { format: best.importer.format, finding: best.finding } : null
}

/** An event in which a streamed blob has been read into memory. */
type Taken = Exclude<ImportEvent, { kind: 'blob' }> | { kind: 'blob'; mime_type: string; bytes: Buffer }

export async function eventsOf(source: Source, from: Json | null = null): Promise<Taken[]> {
  const found = await findingOf(source)
  if (!found) throw new Error('No format recognises the source.')
  const taken: Taken[] = []
  for await (const event of found.finding.read(from)) {
    if (event.kind !== 'blob') taken.push(event)
    else {
      const chunks: Uint8Array[] = []
      if (event.bytes instanceof Uint8Array) chunks.push(event.bytes)
      else for await (const chunk of event.bytes) chunks.push(chunk)
      taken.push({ kind: 'blob', mime_type: event.mime_type, bytes: Buffer.concat(chunks) })
    }
  }
  return taken
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every shape
export type Data = Record<string, any>

export async function recordsOf(source: Source): Promise<Data[]> {
  const events = await eventsOf(source)
  return events.filter((event): event is RecordEvent => event.kind === 'record').map(({ data }) => data)
}

/** The record of a single message. */
export async function messageOf(...lines: (string | Uint8Array)[]): Promise<Data> {
  const bytes = Buffer.concat(lines.flatMap(line => [Buffer.from(line as Uint8Array), Buffer.from('\r\n')]))
  const [record, ...more] = await recordsOf(sourceOf({ 'a.eml': bytes }, { kind: 'file' }))
  if (!record || more.length > 0) throw new Error(`${more.length + (record ? 1 : 0)} records instead of one`)
  return record
}
