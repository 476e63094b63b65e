import { CUT_OFF, type Problem, TOO_LARGE } from '../events.ts'
import type { SourceFile } from '../source/source.ts'
import { linesOf } from './text-lines.ts'

/** Blocks vary in size, so they are counted. For larger files, the number is estimated from the size. */
const MOST_COUNTED_BYTES = 32 * 1024 * 1024
const MOST_BLOCK_CHARS = 16 * 1024 * 1024

/** The lines from `BEGIN:VEVENT` to `END:VEVENT`, as in calendars and contacts. */
export type LineBlock = {
  /** `VEVENT`, in upper case. */
  name: string
  /** The number of its first line. */
  line: number
  end: number
} & ({ lines: string[]; problem: null } | { lines: null; problem: Problem })

/**
 * The blocks of a file with one of these names, including the blocks inside them. `around` is called for each line
 * outside.
 */
export async function* blocksOf(
  file: SourceFile,
  names: ReadonlySet<string>,
  around: (line: string) => void = () => {},
): AsyncGenerator<LineBlock> {
  let open: { name: string; lines: string[]; chars: number; line: number; depth: number } | null = null
  let last = 0
  for await (const { number, text, end } of linesOf(file.open())) {
    const line = text ?? ''
    last = end
    const begins = /^\s*BEGIN:\s*([\w-]+)\s*$/i.exec(line)?.[1]?.toUpperCase()
    if (!open) {
      if (begins !== undefined && names.has(begins)) {
        open = { name: begins, lines: [line.trim()], chars: 0, line: number, depth: 0 }
      } else around(line)
      continue
    }
    open.chars += text === null ? MOST_BLOCK_CHARS + 1 : line.length
    if (open.chars <= MOST_BLOCK_CHARS) open.lines.push(begins === undefined ? line : line.trim())
    else open.lines = []
    if (begins === open.name) open.depth++
    const ends = /^\s*END:\s*([\w-]+)\s*$/i.exec(line)?.[1]?.toUpperCase()
    if (ends !== open.name || open.depth-- > 0) continue
    const { name, lines, line: first } = open
    if (open.chars <= MOST_BLOCK_CHARS) yield { name, lines, problem: null, line: first, end }
    else yield { name, lines: null, problem: TOO_LARGE, line: first, end }
    open = null
  }
  if (open) yield { name: open.name, lines: null, problem: CUT_OFF, line: open.line, end: last }
}

/** Counts or estimates the blocks. */
export async function blocksIn(
  files: readonly SourceFile[],
  names: ReadonlySet<string>,
  blockBytes: number,
): Promise<{ items: number; exact: boolean }> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const guess = { items: Math.max(1, Math.round(bytes / blockBytes)), exact: false }
  if (bytes > MOST_COUNTED_BYTES) return guess
  let items = 0
  try {
    for (const file of files) for await (const _ of blocksOf(file, names)) items++
  } catch {
    // The import itself will report the unreadable file.
    return guess
  }
  return { items, exact: true }
}
