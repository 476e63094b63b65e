import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Only root may mount a file system; other users cannot cause these faults. */
export const CAN_MOUNT = process.platform === 'linux' && process.getuid?.() === 0

/** A file system of a few megabytes in memory, which can be filled up and made read-only. */
export class SmallDisk implements AsyncDisposable {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async mount(megabytes: number, owner = 'root'): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'footnote-disk-'))
    const uid = (await run('id', ['-u', owner])).stdout.trim()
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700,uid=${uid}`, 'tmpfs', folder])
    return new SmallDisk(folder)
  }

  /** Fills all remaining space. */
  async fill(): Promise<void> {
    const file = await open(this.#ballast, 'a')
    try {
      for (const chunk of [1024 * 1024, 4096]) {
        const bytes = Buffer.alloc(chunk)
        try {
          for (;;) await file.write(bytes)
        } catch (error) {
          if ((error as { code?: string }).code !== 'ENOSPC') throw error
        }
      }
    } finally {
      await file.close()
    }
  }

  /** Frees the space that `fill` used. */
  async freeSpace(): Promise<void> {
    await rm(this.#ballast, { force: true })
  }

  async allow(access: 'ro' | 'rw'): Promise<void> {
    await run('mount', ['-o', `remount,${access}`, this.folder])
  }

  get #ballast(): string {
    return join(this.folder, 'ballast')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', ['--lazy', this.folder])
    await rmdir(this.folder)
  }
}
