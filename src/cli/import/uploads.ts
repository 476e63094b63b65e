import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { assertFileCount } from '../../importers/source/bounds.ts'
import { CodedError, invalidRequest } from '../../model/errors.ts'

const KEPT_MS = 86_400_000
const MOST_NAME_BYTES = 255
/** The folder beside an upload's own in which its files arrive, until all are there. */
const ARRIVING = '.arriving'

interface ReceivedFile {
  /** The name that the browser sends, including folders. */
  path: string
  bytes: AsyncIterable<Uint8Array>
}

/** The import that an upload began with, and of how many parts it is the first. */
interface Begun {
  import_id: string
  connection_id: string
  parts: number
}

/** Files that the owner uploaded in the browser. Each upload is kept in its own folder for a day. */
export class Uploads {
  readonly #folder: string
  /** The uploads that are being imported. */
  readonly #begun = new Map<string, Promise<Begun>>()

  constructor(directory: string) {
    this.#folder = join(directory, 'uploads')
  }

  /** Stores one file, or a folder of files; null if there was none. */
  async receive(files: AsyncIterable<ReceivedFile>): Promise<string | null> {
    await this.#forgetOld()
    const upload_id = randomBytes(12).toString('hex')
    const folder = this.#placeOf(upload_id)
    const arriving = folder + ARRIVING
    const places = new Places()
    try {
      for await (const { path, bytes } of files) {
        const place = join(arriving, places.ofFile(safePath(path)))
        assertFileCount('What you chose', places.files)
        await mkdir(dirname(place), { recursive: true, mode: 0o700 })
        await pipeline(Readable.from(bytes), createWriteStream(place, { mode: 0o600 }))
      }
      if (places.files === 0) return null
      await rename(arriving, folder)
    } finally {
      await rm(arriving, { recursive: true, force: true })
    }
    return upload_id
  }

  /** The files and folders that were chosen, and the folder that they are in. */
  async find(upload_id: string): Promise<{ folder: string; names: string[] }> {
    const folder = this.#placeOf(upload_id)
    const names = await readdir(folder).catch(() => [])
    if (names.length > 0) return { folder, names: names.sort() }
    throw new CodedError(
      'not_found',
      'This file is no longer here: it was imported already, or waited for more than a day.',
    )
  }

  /** Starts the import of an upload. While that runs, starting it again answers with the same import. */
  begin(upload_id: string, start: () => Promise<Begun>): Promise<Begun> {
    const known = this.#begun.get(upload_id)
    if (known) return known
    const begun = start()
    this.#begun.set(upload_id, begun)
    begun.catch(() => this.#begun.delete(upload_id))
    return begun
  }

  /** Deletes an upload whose import has ended. */
  async end(upload_id: string): Promise<void> {
    this.#begun.delete(upload_id)
    await this.drop(upload_id)
  }

  async drop(upload_id: string): Promise<void> {
    if (this.#begun.has(upload_id))
      throw new CodedError('not_found', 'This file is no longer waiting: its import has begun.')
    await rm(this.#placeOf(upload_id), { recursive: true, force: true })
  }

  #placeOf(upload_id: string): string {
    if (!/^[0-9a-f]{24}$/.test(upload_id)) throw new CodedError('not_found', 'There is no such file.')
    return join(this.#folder, upload_id)
  }

  async #forgetOld(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (this.#begun.has(name)) continue
      const folder = join(this.#folder, name)
      const info = await stat(folder).catch(() => null)
      if (info && Date.now() - info.mtimeMs > KEPT_MS) await rm(folder, { recursive: true, force: true })
    }
  }
}

/** A path inside a folder, without anything that leads out of it. */
function safePath(path: string): string {
  const names = path.split(/[/\\]/).filter(name => name !== '' && name !== '.' && name !== '..')
  const safe = names.map(name => {
    if (Buffer.byteLength(name) <= MOST_NAME_BYTES) return name.replace(/\p{Cc}/gu, '_')
    throw invalidRequest('The name of a file is too long.')
  })
  return safe.length === 0 ? 'file' : join(...safe)
}

/** Where the files of an upload are stored: a name that another file or folder already has gets a number. */
class Places {
  files = 0
  readonly #taken = new Set<string>()
  readonly #folders = new Map([['.', '.']])

  ofFile(path: string): string {
    this.files++
    return this.#free(path)
  }

  #ofFolder(path: string): string {
    const place = this.#folders.get(path) ?? this.#free(path)
    this.#folders.set(path, place)
    return place
  }

  #free(path: string): string {
    const wanted = join(this.#ofFolder(dirname(path)), basename(path))
    const end = extname(wanted)
    let free = wanted
    for (let number = 2; this.#taken.has(free); number++)
      free = `${wanted.slice(0, wanted.length - end.length)} (${number})${end}`
    this.#taken.add(free)
    return free
  }
}
