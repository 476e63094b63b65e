import { basename, dirname, join, resolve } from 'node:path'
import { assertFileCount, byPath } from './bounds.ts'
import { nameOf, type Source, type SourceFile } from './source.ts'

/** How providers name the archives of one export. The part before the number is the same for all of them. */
const PARTS = [
  /^(takeout-\d{8}T\d{6}Z)(?:-\d{1,4})+\.(?:zip|tgz)$/i,
  /^((?:facebook|instagram)-.+-(?:\d{4}-\d{2}-\d{2}|\d{2}_\d{2}_\d{4}))-\w+\.zip$/i,
  /^(.+) Part \d{1,4} of \d{1,4}\.zip$/i,
  /^(.+)-Part-\d{1,4}\.zip$/i,
]

/** The name of the export that an archive belongs to; null if its name does not say. */
export function exportOf(path: string): string | null {
  for (const pattern of PARTS) {
    const name = pattern.exec(basename(path))?.[1]
    if (name !== undefined) return name
  }
  return null
}

/** Groups the paths: the archives of one export form a group, in the place of the first. */
export function partsTogether(paths: readonly string[]): string[][] {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    const name = exportOf(path)
    const key = name === null ? path : join(dirname(resolve(path)), name)
    const known = groups.get(key)
    if (known && name !== null) known.push(path)
    else groups.set(known ? `${key} ${groups.size}` : key, [path])
  }
  return [...groups.values()].map(group => group.sort())
}

/** Opens the archives of one export; all of them are closed again if one cannot be opened. */
export async function openParts(
  path: string,
  name: string,
  parts: readonly string[],
  open: (part: string) => Promise<Source>,
): Promise<Source> {
  const opened: Source[] = []
  try {
    for (const part of parts) opened.push(await open(part))
    return joined(path, name, opened)
  } catch (error) {
    for (const part of opened) await part[Symbol.asyncDispose]()
    throw error
  }
}

/** The archives of one export as one source. A file that several of them contain, such as the index, is read once. */
function joined(path: string, name: string, parts: readonly Source[]): Source {
  const files = new Map<string, SourceFile>()
  for (const part of parts) {
    for (const file of part.files) {
      const known = files.get(file.path)
      if (known?.size === file.size) continue
      const free = known ? `${nameOf(part.path)}/${file.path}` : file.path
      files.set(free, { ...file, path: free })
    }
  }
  assertFileCount(name, files.size)
  const isAnyOrder = parts.every(({ kind }) => kind === 'zip')
  return {
    path,
    name,
    kind: isAnyOrder ? 'zip' : 'tar',
    files: isAnyOrder ? [...files.values()].sort(byPath) : [...files.values()],
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
    async [Symbol.asyncDispose]() {
      for (const part of parts) await part[Symbol.asyncDispose]()
    },
  }
}
