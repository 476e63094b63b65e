import { access, constants, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Linux keeps files in this folder in memory, where the hundreds of files of a database are created ten times faster.
 */
const MEMORY = '/dev/shm'
/** Several times what the files of two test processes ever take together. */
const ROOM = 4 * 1024 ** 3

/**
 * Where the temporary files of tests go: into memory if there is plenty, otherwise into the system's folder. `npm run
 * prove` creates large ones, and keeps them on disk.
 */
export async function temporaryFolder(): Promise<string> {
  if (process.env.FOOTNOTE_PROVE === '1' || process.env.TMPDIR || freemem() < 2 * ROOM) return tmpdir()
  return (await holds(MEMORY)) ? MEMORY : tmpdir()
}

/** Whether a folder has the room, and programs can be run from it, because the browser is unpacked there. */
async function holds(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < ROOM) return false
    const place = await mkdtemp(join(folder, 'footnote-tests-'))
    try {
      await writeFile(join(place, 'program'), '', { mode: 0o755 })
      await access(join(place, 'program'), constants.X_OK)
      return true
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  } catch {
    return false
  }
}
