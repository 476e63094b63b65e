import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Replaces a file in one step: a reader, or a crash, finds the old one or the new one. Several processes may do this at
 * the same time.
 */
export function replaceFile(file: string, content: string, mode: number): void {
  const beside = `${file}.${randomUUID()}.new`
  try {
    writeFileSync(beside, content, { mode })
    renameSync(beside, file)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
