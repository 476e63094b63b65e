import { skipTo } from '../source/plain-file.ts'
import type { SourceFile } from '../source/source.ts'

/** `cr`: as on old Macs; `cr cr lf`: written by a program that converted CR LF once more. */
export type LineEnds = 'usual' | 'cr' | 'cr cr lf'

const LF = 0x0a
const CR = 0x0d

/** Decided by the first bytes. */
export function lineEndsOf(head: Buffer): LineEnds {
  if (!head.includes(CR)) return 'usual'
  if (!head.includes(LF)) return 'cr'
  return /^\n|[^\r]\n|[^\r]\r\n/.test(head.toString('latin1')) ? 'usual' : 'cr cr lf'
}

/** The file as if its lines ended in the usual way. Positions are those in what is returned. */
export async function* openWithUsualLineEnds(
  file: Pick<SourceFile, 'open'>,
  ends: LineEnds,
  start: number,
): AsyncGenerator<Uint8Array> {
  if (ends === 'usual') yield* file.open(start)
  else if (ends === 'cr') for await (const chunk of file.open(start)) yield usualIn(Buffer.from(chunk), ends)
  else yield* skipTo(withoutExtra(file.open()), start)
}

export function usualIn(bytes: Buffer, ends: LineEnds): Buffer {
  if (ends === 'usual') return bytes
  const text = bytes.toString('latin1')
  return Buffer.from(
    ends === 'cr' ? text.replaceAll('\r', '\n') : text.replaceAll('\r\r\n', '\r\n'),
    'latin1',
  )
}

async function* withoutExtra(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([held, chunk])
    const last = /\r*$/.exec(bytes.toString('latin1', Math.max(0, bytes.length - 2)))?.[0].length ?? 0
    held = Buffer.from(bytes.subarray(bytes.length - last))
    yield usualIn(bytes.subarray(0, bytes.length - last), 'cr cr lf')
  }
  yield held
}
