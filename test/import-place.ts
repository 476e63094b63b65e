import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { refusalIn } from '../src/api/route.ts'
import { optionsIn } from '../src/cli/command.ts'
import { type Config, readConfig } from '../src/cli/config.ts'
import { importCommand } from '../src/cli/import/import.ts'
import { RejectedItems } from '../src/cli/import/import-report.ts'
import { type OpenOwnServer, type OwnRequest, startOwnServer } from '../src/cli/own-server.ts'
import { paintFor } from '../src/cli/terminal/terminal.ts'
import { Store } from '../src/store/store.ts'
import { type Engine, storeLocation } from './places.ts'

export interface Imported {
  printed: string[]
  notes: string[]
  /** 0, or 65 if items were rejected. Any other failure is thrown. */
  exitCode: number
  /** The last line that was printed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  json: any
}

/** A new store, a folder for files to import, and the import command as called from a shell. */
export async function importPlace(engine: Engine) {
  const { location, remove } = await storeLocation(engine)
  const folder = await mkdtemp(join(tmpdir(), 'footnote-import-'))
  const dataFolder = join(folder, 'data')
  const flags: Record<string, string> = { 'data-dir': dataFolder }
  if (location.engine === 'postgres') flags['database-url'] = location.url
  const config: Config = readConfig(flags, {})
  let opened: Promise<OpenOwnServer> | null = null
  /** A server on the same data, started on first use. */
  const server = (): Promise<OpenOwnServer> => {
    opened ??= startOwnServer(config)
    return opened
  }
  const place = {
    engine,
    folder,
    dataFolder,
    config,
    /** Flags that tell another process where the data is. */
    flags: Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
    async import(...args: string[]): Promise<Imported> {
      const printed: string[] = []
      const notes: string[] = []
      const { values, positionals } = parseArgs({
        args,
        allowPositionals: true,
        options: optionsIn(importCommand.usage),
      })
      const invocation = {
        config,
        values,
        positionals,
        print: (line: string) => printed.push(line),
        note: (line: string) => notes.push(line),
        write: (text: string) => printed.push(text),
        input: async function* () {},
        paint: paintFor(false),
        command: 'footnote',
        spelled: (text: string) => text,
        isTerminal: false,
        columns: 100,
      }
      const exitCode = await importCommand.run(invocation).then(
        () => 0,
        error => {
          if (error instanceof RejectedItems) return error.exitCode
          throw error
        },
      )
      return { printed, notes, exitCode, json: printed.length > 0 ? JSON.parse(printed.at(-1) ?? '') : null }
    },
    async call<T>(path: string, init?: OwnRequest): Promise<T> {
      const response = await (await server()).request(path, init)
      const body = await response.json()
      if (!response.ok) throw refusalIn(body)
      return body as T
    },
    server,
    request: async (path: string, init?: OwnRequest) => (await server()).request(path, init),
    async count(): Promise<number> {
      const page = await place.call<{ meta: { count: number } }>(
        '/v1/streams/emails/records?limit=1&count=exact',
      )
      return page.meta.count
    },
    async ownerToken(): Promise<string> {
      await using store = await Store.open(location.engine === 'postgres' ? location : config.location)
      const now = new Date().toISOString()
      return store.writer.call('createOwnerToken', { owner_id: store.owner_id, now })
    },
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
      await remove()
    },
  }
  return place
}
