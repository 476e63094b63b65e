import { access, constants, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Linux keeps files in this folder in memory, where the hundreds of files of a database are created ten times faster.
 */
const MEMORY = '/dev/shm'
/** Several times the space that two test processes use. */
const ROOM = 4 * 1024 ** 3

/**
 * The folder for temporary files of tests: in memory if there is enough, otherwise the system's folder. `npm run
 * prove` creates large files and keeps them on disk.
 */
export async function temporaryFolder(): Promise<string> {
  if (process.env.FOOTNOTE_PROVE === '1' || process.env.TMPDIR || freemem() < 2 * ROOM) return tmpdir()
  return (await holds(MEMORY)) ? MEMORY : tmpdir()
}

/** Whether a folder has enough space and allows programs to run, because the browser is unpacked there. */
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
