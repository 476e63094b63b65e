import { type Entry, fromBufferPromise } from 'yauzl'
import { number } from '../../model/amounts.ts'
import { broken, Unreadable } from './extracted.ts'
import { readXml, type XmlHandler } from './xml-events.ts'

const MOST_PARTS = 50_000
const MOST_PART_BYTES = 256 * 1024 * 1024
const MOST_BYTES = 512 * 1024 * 1024
const ENCRYPTED = 1

/** The zip file of an office document. Parts are unpacked one at a time, up to a total limit. */
export interface DocumentZip {
  has(path: string): boolean
  /** The paths of its parts. */
  paths: string[]
  /** A whole part as text. */
  text(path: string, mostBytes?: number): Promise<string>
  /** Reads a part as XML; a missing part is treated as empty. */
  xml(path: string, handler: XmlHandler): Promise<void>
}

export async function openDocumentZip(bytes: Uint8Array): Promise<DocumentZip> {
  const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    lazyEntries: true,
  }).catch(error => {
    throw broken((error as Error).message)
  })
  const parts = new Map<string, Entry>()
  let unpacked = 0
  try {
    for await (const entry of zip.eachEntry()) {
      if (parts.size >= MOST_PARTS) throw unsafe(`has more than ${number(MOST_PARTS)} parts`)
      parts.set(entry.fileName, entry)
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : broken((error as Error).message)
  }

  async function* open(path: string, mostBytes: number): AsyncGenerator<Uint8Array> {
    const entry = parts.get(path)
    if (!entry) return
    if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0)
      throw new Unreadable('encrypted_document', 'The document is encrypted.')
    if (entry.uncompressedSize > mostBytes) throw tooLarge()
    try {
      for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>) {
        unpacked += chunk.length
        if (unpacked > MOST_BYTES) throw tooLarge()
        yield chunk
      }
    } catch (error) {
      throw error instanceof Unreadable ? error : broken((error as Error).message)
    }
  }

  return {
    has: path => parts.has(path),
    paths: [...parts.keys()],
    async text(path, mostBytes = MOST_PART_BYTES) {
      const chunks: Uint8Array[] = []
      for await (const chunk of open(path, mostBytes)) chunks.push(chunk)
      return Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\ufeff/, '')
    },
    xml: (path, handler) => readXml(open(path, MOST_PART_BYTES), handler),
  }
}

function tooLarge(): Unreadable {
  return unsafe('unpacks to far more than its size, like a zip bomb')
}

function unsafe(what: string): Unreadable {
  return new Unreadable('unsafe_document', `The document ${what}.`)
}

/** The parts that a part refers to: their paths by id. */
export async function relationsOf(
  zip: DocumentZip,
  path: string,
): Promise<Map<string, { type: string; path: string }>> {
  const [folder, name] = [folderOf(path), path.slice(folderOf(path).length)]
  const found = new Map<string, { type: string; path: string }>()
  await zip.xml(`${folder}_rels/${name}.rels`, {
    open(_, { Id, Type = '', Target = '', TargetMode }) {
      if (Id === undefined || TargetMode === 'External') return
      found.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), path: resolved(folder, Target) })
    },
  })
  return found
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/** A path relative to a folder of the zip. */
export function resolved(folder: string, target: string): string {
  const parts = target.startsWith('/') ? [] : folder.split('/').filter(part => part !== '')
  for (const part of target.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** Title, author and date as office programs write them. */
export async function propertiesOf(
  zip: DocumentZip,
  path: string,
): Promise<{ title: string | null; author: string | null; created_at: string | null }> {
  const found: Record<string, string> = {}
  let open = ''
  await zip.xml(path, {
    open(_name, _attributes, qualified) {
      open = qualified
    },
    text(text) {
      const before = found[open] ?? ''
      if (before.length < 1_000) found[open] = before + text
    },
    close() {
      open = ''
    },
  })
  const text = (...names: string[]) =>
    names.map(name => found[name]?.trim().slice(0, 1_000)).find(value => value) ?? null
  return {
    title: text('dc:title'),
    author: text('dc:creator', 'meta:initial-creator'),
    created_at: instantOf(text('dcterms:created', 'meta:creation-date', 'dc:date')),
  }
}

/** An instant in UTC; null if the text is not a valid time. A time without a zone is read as UTC. */
function instantOf(text: string | null): string | null {
  const [, day, time, zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/.exec(text ?? '') ?? []
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
