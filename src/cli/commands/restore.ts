import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Store } from '../../store/store.ts'
import { restoreInto } from '../../store/transfer/restore.ts'
import { type Command, onlyOne } from '../command.ts'
import { UsageError } from '../terminal/exit-errors.ts'

const GZIP = [0x1f, 0x8b]

export const restore: Command = {
  name: 'restore',
  usage: 'footnote restore FILE [--json]',
  examples: [
    'footnote restore footnote.ndjson.gz --data-dir ./data',
    'footnote restore footnote.ndjson.gz --database-url postgres://localhost/footnote',
  ],
  options: { json: { type: 'boolean' } },
  async run({ config, values, positionals, print, note, input }) {
    const file = onlyOne(positionals, 'a file', 'footnote restore FILE (or - for stdin)')
    const open = () => (file === '-' ? input() : createReadStream(file))
    const restored = await restoreInto(config.location, plainBytes(open, file))
    note('Building the search index.')
    await using store = await Store.open(config.location)
    await store.refreshIndexes()
    const { record = 0, connection = 0, blob = 0 } = restored
    if (values.json) print(JSON.stringify({ records: record, connections: connection, blobs: blob }))
    else print(`${record} records of ${connection} connections, ${blob} blobs.`)
  },
}

/**
 * The bytes unchanged, or decompressed if they are gzipped. The file is opened when it is read: before that, nobody
 * would listen to its errors.
 */
async function* plainBytes(open: () => AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const chunks = open()[Symbol.asyncIterator]()
  const first = await chunks.next().catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new UsageError(`There is no file ${name}.`, 'footnote restore FILE')
    throw error
  })
  if (first.done) return
  const all = async function* () {
    yield first.value
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  if (GZIP.some((byte, index) => first.value[index] !== byte)) yield* all()
  else yield* Readable.from(all()).compose(createGunzip()) as AsyncIterable<Uint8Array>
}
