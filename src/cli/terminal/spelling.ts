import { existsSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative, resolve, sep } from 'node:path'
import type { Surroundings } from '../config.ts'

const PACKAGE = realpathSync(join(import.meta.dirname, '..', '..', '..'))
const PACKAGE_NAME = 'footnote-server'
const BIN = join(PACKAGE, 'bin', 'footnote.js')
/** `footnote` where a command or a flag follows it; not a name, a path or an address that ends with it. */
const CALL = /(?<![\w./@-])footnote(?= (?:--|[a-z]|COMMAND))/g

/**
 * How a person types the command, by how this process was started. Another package is named `footnote` on npm, so
 * `npm exec -- footnote` is right only where npm finds this package's own command: in a checkout.
 */
export function commandSpelling({ npmPrefix, folder, path }: Surroundings): string {
  if (npmPrefix !== null && real(npmPrefix) === PACKAGE && isInside(real(folder)))
    return 'npm exec -- footnote'
  if (searchedFolders(path).some(leadsHere)) return 'footnote'
  if (npmPrefix !== null && basename(dirname(PACKAGE)) === 'node_modules')
    return `npm exec -- ${PACKAGE_NAME}`
  const file = relative(folder, BIN)
  return `node ${/[^\w./-]/.test(file) ? JSON.stringify(file) : file}`
}

/** A text with its calls of `footnote` as a person has to type them. */
export function withSpelling(text: string, command: string): string {
  return text.replace(CALL, () => command)
}

/** The folders of a PATH, without those that npm puts there. */
function searchedFolders(path: string): string[] {
  const npms = join('node_modules', '.bin')
  return path.split(delimiter).filter(each => each !== '' && !each.endsWith(npms))
}

function isInside(folder: string): boolean {
  return folder === PACKAGE || folder.startsWith(PACKAGE + sep)
}

/** Whether a folder of the PATH holds this package's command: a link to it, or on Windows a script beside the package. */
function leadsHere(folder: string): boolean {
  if (process.platform !== 'win32') return real(join(folder, 'footnote')) === BIN
  const installed = real(resolve(folder, 'node_modules', PACKAGE_NAME))
  return installed === PACKAGE && existsSync(join(folder, 'footnote.cmd'))
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
