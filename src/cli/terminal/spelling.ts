import { existsSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join, resolve, sep } from 'node:path'
import type { Surroundings } from '../config.ts'

const PACKAGE = realpathSync(join(import.meta.dirname, '..', '..', '..'))
const PACKAGE_NAME = 'footnote-server'
const BIN = join(PACKAGE, 'bin', 'footnote.js')
/** `footnote` followed by a command or a flag; not a name, a path or a URL that ends with it. */
const CALL = /(?<![\w./@"-])footnote(?= (?:--|[a-z]|COMMAND))/g
/** What follows `footnote`. */
const ASKS_FOR_HELP = /^(?: [A-Za-z-]+)* --help/

/**
 * How a person types the command, depending on how this process was started. Another package is named `footnote` on
 * npm, so `npm exec -- footnote` is right only where npm finds this package's own command: in a checkout. Where a shell
 * finds nothing, it is the whole path: pages show the command to people who are in some other folder.
 */
export function commandSpelling({ npmPrefix, folder, path }: Surroundings): string {
  if (npmPrefix !== null && real(npmPrefix) === PACKAGE && isInside(real(folder)))
    return 'npm exec -- footnote'
  if (searchedFolders(path).some(leadsHere)) return 'footnote'
  if (npmPrefix !== null && basename(dirname(PACKAGE)) === 'node_modules')
    return `npm exec -- ${PACKAGE_NAME}`
  return `node ${inShell(BIN)}`
}

/**
 * A text with its `footnote` commands written the way a person has to type them. `place` are the flags that say which
 * data is meant, with their values; commands name them, except where they only ask for help.
 */
export function withSpelling(text: string, command: string, place: readonly string[] = []): string {
  const words = place.map(inShell)
  return text.replace(CALL, (call, at: number) =>
    ASKS_FOR_HELP.test(text.slice(at + call.length)) ? command : [command, ...words].join(' '),
  )
}

function inShell(word: string): string {
  return /[^\w./:@\\-]/.test(word) ? JSON.stringify(word) : word
}

/** The folders of a PATH, without those that npm adds. */
function searchedFolders(path: string): string[] {
  const npms = join('node_modules', '.bin')
  return path.split(delimiter).filter(each => each !== '' && !each.endsWith(npms))
}

function isInside(folder: string): boolean {
  return folder === PACKAGE || folder.startsWith(PACKAGE + sep)
}

/**
 * Whether a folder of the PATH contains this package's command: a link to it, or on Windows a script beside the
 * package.
 */
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
