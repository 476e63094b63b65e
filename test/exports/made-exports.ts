import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { zipOf } from '../archives.ts'
import { ASSISTANTS } from './assistants.ts'
import { FACTS } from './facts.ts'
import type { MadeExport } from './made-export.ts'
import { MAIL } from './mail.ts'
import { MESSENGERS } from './messengers.ts'
import { NOTES } from './notes.ts'
import { POSTS } from './posts.ts'

/** At least one of every format. */
export const MADE_EXPORTS: readonly MadeExport[] = [
  ...MAIL,
  ...ASSISTANTS,
  ...MESSENGERS,
  ...POSTS,
  ...NOTES,
  ...FACTS,
]

/** Writes an export into a folder; returns the path to import. */
export async function writeExport(folder: string, made: MadeExport, items: number): Promise<string> {
  const target = join(folder, [made.format, made.layout].filter(Boolean).join(' '))
  const files = Object.entries(made.of(items)).map(([path, content]) => ({
    path,
    content: typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  }))
  if (made.isZip) {
    await writeFile(`${target}.zip`, zipOf(files))
    return `${target}.zip`
  }
  await rm(target, { recursive: true, force: true })
  for (const { path, content } of files) {
    await mkdir(dirname(join(target, path)), { recursive: true })
    await writeFile(join(target, path), content)
    // The old files of a folder keep their times when the folder grows.
    await utimes(join(target, path), 1_700_000_000, 1_700_000_000)
  }
  return target
}
