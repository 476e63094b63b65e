import type { Finding } from './importer.ts'
import type { Source } from './source/source.ts'
import { tellingName } from './source/telling-name.ts'

const MOST_CHARS = 200

/**
 * The name of a new connection if the owner gives none: the kind of its records, and what tells it apart from others
 * of that kind. It should be the same for the next export of the same account.
 */
export function defaultName(source: Source, { name, files, declaration }: Finding): string {
  const kind = declaration.display.name
  const given = source.kind === 'file' ? withoutEnding(source.name) : source.name
  const inside = sharedPath(files.map(({ path }) => path)).reverse()
  const own = name ?? tellingPart([given, ...inside], kind)
  return [...(own === null ? kind : `${kind}: ${own}`)].slice(0, MOST_CHARS).join('')
}

function tellingPart(names: readonly string[], kind: string): string | null {
  for (const name of names) {
    const telling = tellingName(name, kind)
    if (telling !== null) return telling
  }
  return null
}

/** The folders that contain all of the files, and the file if there is only one. */
function sharedPath([first = '', ...others]: readonly string[]): string[] {
  const folders = first.split('/')
  const file = folders.pop() ?? ''
  if (others.length === 0) return [...folders, withoutEnding(file)]
  const differs = folders.findIndex(
    (_, index) => !others.every(path => path.startsWith(`${folders.slice(0, index + 1).join('/')}/`)),
  )
  return differs === -1 ? folders : folders.slice(0, differs)
}

function withoutEnding(name: string): string {
  return name.includes('@') ? name : name.replace(/(?<=.)\.[a-z][a-z0-9]{1,7}$/i, '')
}
