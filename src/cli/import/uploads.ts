import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { assertFileCount } from '../../importers/source/bounds.ts'
import { CodedError, invalidRequest } from '../../model/errors.ts'

const KEPT_MS = 86_400_000
const MOST_NAME_BYTES = 255
/** The folder beside an upload's own in which its files arrive, until it is known whether they are one or several. */
const ARRIVING = '.arriving'

interface ReceivedFile {
  /** The name that the browser sends, including folders. */
  path: string
  bytes: AsyncIterable<Uint8Array>
}

/** Files that the owner uploaded in the browser. Each upload is kept in its own folder for a day. */
export class Uploads {
  readonly #folder: string

  constructor(directory: string) {
    this.#folder = join(directory, 'uploads')
  }

  /** Stores one file, or a folder of files; null if there was none. */
  async receive(files: AsyncIterable<ReceivedFile>): Promise<string | null> {
    await this.#forgetOld()
    const upload_id = randomBytes(12).toString('hex')
    const folder = this.#placeOf(upload_id)
    const arriving = folder + ARRIVING
    const taken = new Set<string>()
    try {
      for await (const { path, bytes } of files) {
        const place = join(arriving, freePath(safePath(path), taken))
        assertFileCount('What you chose', taken.size)
        await mkdir(dirname(place), { recursive: true, mode: 0o700 })
        await pipeline(Readable.from(bytes), createWriteStream(place, { mode: 0o600 }))
      }
      if (taken.size === 0) return null
      await mkdir(folder, { mode: 0o700 })
      const [only, ...others] = await readdir(arriving)
      if (only !== undefined && others.length === 0) await rename(join(arriving, only), join(folder, only))
      else await rename(arriving, join(folder, `${taken.size} files`))
    } catch (error) {
      await this.drop(upload_id)
      throw error
    } finally {
      await rm(arriving, { recursive: true, force: true })
    }
    return upload_id
  }

  /** The name of the uploaded file or folder, and where it is. */
  async find(upload_id: string): Promise<{ filename: string; path: string }> {
    const folder = this.#placeOf(upload_id)
    const [filename] = await readdir(folder).catch(() => [])
    if (filename !== undefined) return { filename, path: join(folder, filename) }
    throw new CodedError(
      'not_found',
      'This file is no longer here: it was imported already, or waited for more than a day.',
    )
  }

  async drop(upload_id: string): Promise<void> {
    await rm(this.#placeOf(upload_id), { recursive: true, force: true })
  }

  #placeOf(upload_id: string): string {
    if (!/^[0-9a-f]{24}$/.test(upload_id)) throw new CodedError('not_found', 'There is no such file.')
    return join(this.#folder, upload_id)
  }

  async #forgetOld(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
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

/** The path itself or, if another file already has it, one with a number. */
function freePath(path: string, taken: Set<string>): string {
  const end = extname(path)
  let free = path
  for (let number = 2; taken.has(free); number++)
    free = `${path.slice(0, path.length - end.length)} (${number})${end}`
  taken.add(free)
  return free
}
