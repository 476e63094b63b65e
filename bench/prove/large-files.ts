import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'
import type { LargeFormat } from './large-formats.ts'

const WRITTEN_AT_ONCE = 1024 * 1024

/** Writes a file of about so many bytes; returns how many records it holds. */
export async function writeLarge(folder: string, large: LargeFormat, bytes: number): Promise<number> {
  let items = 0
  function* texts() {
    yield large.head
    for (let size = 0; size < bytes; items++) {
      const text = large.item(items)
      size += text.length
      yield text
    }
    yield large.tail
  }
  const path = join(folder, large.zip ?? large.path)
  await mkdir(dirname(path), { recursive: true })
  const content = chunked(texts())
  await written(path, large.zip === undefined ? content : zipped(large.path, content))
  return large.records?.(items) ?? items
}

function* chunked(texts: Iterable<string>): Generator<Buffer> {
  let held: string[] = []
  let size = 0
  for (const text of texts) {
    held.push(text)
    size += text.length
    if (size < WRITTEN_AT_ONCE) continue
    yield Buffer.from(held.join(''))
    held = []
    size = 0
  }
  yield Buffer.from(held.join(''))
}

async function written(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = createWriteStream(path)
  for await (const chunk of chunks) if (!file.write(chunk)) await once(file, 'drain')
  file.end()
  await once(file, 'close')
}

/** A zip with one file of less than 4 GB, whose sizes follow its content. */
async function* zipped(path: string, content: Iterable<Buffer>): AsyncGenerator<Uint8Array> {
  const name = Buffer.from(path)
  let checksum = 0
  let size = 0
  let packedSize = 0
  const facts = () => {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(0x0808, 2)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt16LE(0x5a21, 8)
    fields.writeUInt32LE(checksum, 10)
    fields.writeUInt32LE(packedSize, 14)
    fields.writeUInt32LE(size, 18)
    fields.writeUInt16LE(name.length, 22)
    return fields
  }
  const start = Buffer.concat([Buffer.from('PK\x03\x04'), facts(), name])
  yield start
  function* counted() {
    for (const chunk of content) {
      checksum = crc32(chunk, checksum)
      size += chunk.length
      yield chunk
    }
  }
  for await (const chunk of Readable.from(counted()).pipe(createDeflateRaw({ level: 1 }))) {
    packedSize += chunk.length
    yield chunk
  }
  const end = Buffer.concat([Buffer.from('PK\x07\x08'), facts().subarray(10, 22)])
  const entry = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts(), Buffer.alloc(14), name])
  const tail = Buffer.alloc(18)
  tail.writeUInt16LE(1, 4)
  tail.writeUInt16LE(1, 6)
  tail.writeUInt32LE(entry.length, 8)
  tail.writeUInt32LE(start.length + packedSize + end.length, 12)
  yield Buffer.concat([end, entry, Buffer.from('PK\x05\x06'), tail])
}
