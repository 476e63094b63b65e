import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { createGzip } from 'node:zlib'
import { exportEverything } from '../../api/owner/ledger.ts'
import { type Command, text } from '../command.ts'
import { openOwnServer } from '../own-server.ts'
import { ExitError, UsageError } from '../terminal/exit-errors.ts'

export const exportData: Command = {
  name: 'export',
  usage: 'footnote export [--output FILE]',
  examples: [
    'footnote export --output footnote.ndjson.gz',
    'footnote export | footnote restore - --database-url postgres://localhost/footnote',
  ],
  async run({ config, values, note, write, isTerminal }) {
    const output = text(values, 'output')
    if (output === undefined && isTerminal)
      throw new UsageError(
        'Refusing to write an export to a terminal.',
        'footnote export --output footnote.ndjson.gz',
      )
    if (output !== undefined && existsSync(output))
      throw new ExitError(`${output} exists already.`, 'name another file, or remove this one', 1)
    if (output !== undefined && !existsSync(dirname(output)))
      throw new ExitError(`There is no folder ${dirname(output)}.`, 'make it first, or name another file', 1)
    await using server = await openOwnServer(config)
    const { body } = await server.request(exportEverything.path)
    if (output === undefined) {
      const decoder = new TextDecoder()
      for await (const chunk of body ?? []) write(decoder.decode(chunk, { stream: true }))
      return
    }
    await writeWhole(body as ReadableStream<Uint8Array>, output)
    note(`Everything is in ${output}.`)
  },
}

/** The file gets its name only once it is complete; only its owner may read it. */
async function writeWhole(body: ReadableStream<Uint8Array>, output: string): Promise<void> {
  const part = `${output}.part`
  const gzip = output.endsWith('.gz') ? [createGzip()] : []
  try {
    await pipeline([Readable.fromWeb(body), ...gzip, createWriteStream(part, { mode: 0o600 })])
    await rename(part, output)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
