import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { counted } from '../../model/amounts.ts'
import { Store } from '../../store/store.ts'
import { restoreInto } from '../../store/transfer/restore.ts'
import { type Command, onlyOne } from '../command.ts'
import { EXIT_FAILURE, ExitError } from '../terminal/exit-errors.ts'

const GZIP = [0x1f, 0x8b]

export const restore: Command = {
  name: 'restore',
  usage: 'footnote restore FILE [--json]',
  examples: [
    'footnote restore footnote.ndjson.gz --data-dir ./data',
    'footnote restore footnote.ndjson.gz --database-url postgres://localhost/footnote',
  ],
  async run({ config, values, positionals, print, note, spelled, input }) {
    const file = onlyOne(positionals, 'a file', 'footnote restore FILE (or - for stdin)')
    await using opened = file === '-' ? null : await openFile(file)
    const restored = await restoreInto(config.location, plainBytes(opened?.createReadStream() ?? input()))
    note('Building the search index.')
    await using store = await Store.open(config.location)
    await store.refreshIndexes()
    const { record = 0, connection = 0, blob = 0 } = restored
    if (values.json) print(JSON.stringify({ records: record, connections: connection, blobs: blob }))
    else {
      print(`${counted(record, 'record')} of ${counted(connection, 'connection')}, ${counted(blob, 'blob')}.`)
      note(spelled('Next: footnote serve, and sign in with the link that it prints.'))
      note(
        'Passphrase, passkeys, settings, watched folders and synced accounts are not part of an export: set them again.',
      )
    }
  },
}

function openFile(name: string): Promise<FileHandle> {
  return open(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new ExitError(`There is no file ${name}.`, 'check the path', EXIT_FAILURE)
    throw error
  })
}

/** The bytes unchanged, or decompressed if they are gzipped. */
async function* plainBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const all = async function* () {
    yield first.value
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  if (GZIP.some((byte, index) => first.value[index] !== byte)) yield* all()
  else yield* Readable.from(all()).compose(createGunzip()) as AsyncIterable<Uint8Array>
}
