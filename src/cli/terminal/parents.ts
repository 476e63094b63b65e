import { readFileSync } from 'node:fs'

/** npm and programs like it, by their command lines: `npm start`, `node /usr/bin/pnpm start`. */
const NPM = /(?:^|\/)(?:p?npm|yarn|bun)(?:[-.]\w+)*(?: |$)/

export interface Parents {
  /** Whether npm is among them. If it is not, it ended before this process looked. */
  reachNpm: boolean
  /** Whether they are all still running. A process whose parent ends gets another parent. */
  areThere(): boolean
}

/**
 * The parent of this process, its parent, and so on up to npm: a shell may be between. On systems without /proc only
 * the parent is known; there the shell is replaced by the script, so the parent is npm.
 */
export function parentsUpToNpm(): Parents {
  const parents = [process.ppid]
  let isNpm = process.platform !== 'linux' || NPM.test(commandLineOf(process.ppid))
  for (let pid = parentOf(process.ppid); !isNpm && pid > 0; pid = parentOf(pid)) {
    parents.push(pid)
    isNpm = NPM.test(commandLineOf(pid))
  }
  const watched = isNpm ? parents : parents.slice(0, 1)
  return {
    reachNpm: isNpm,
    areThere: () =>
      watched.every((pid, index) => pid === (index === 0 ? process.ppid : parentOf(watched[index - 1] ?? 0))),
  }
}

function commandLineOf(pid: number): string {
  return textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
}

/** The id of the parent of a process; 0 if there is none, or if the process has ended. */
function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
