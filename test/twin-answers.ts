import type { PlainAnswer } from './twin-servers.ts'

/** Page cursors and marks, wherever they are printed. */
const CURSOR = /A[\w-]{63}(?![\w-])/g

/** How two answers differ, apart from the encrypted cursors in them. */
export function differences(one: PlainAnswer, other: PlainAnswer): string[] {
  const without = ({ status, headers, text }: PlainAnswer) =>
    `${status} ${JSON.stringify(headers)} ${text.replace(CURSOR, '…')}`
  const [a, b] = [without(one), without(other)]
  if (a !== b) {
    let at = 0
    while (a[at] === b[at]) at++
    return [`  ${a.slice(Math.max(0, at - 60), at + 100)}\n  ${b.slice(Math.max(0, at - 60), at + 100)}`]
  }
  const cursors = (answer: PlainAnswer) => answer.text.match(CURSOR) ?? []
  const twins = cursors(other)
  return cursors(one).flatMap((cursor, index) => {
    const twin = twins[index] ?? ''
    return revealNothing(cursor, twin) ? [] : [`  cursor ${readable(cursor)}\n  cursor ${readable(twin)}`]
  })
}

/** Cursors for the same position are equal, or encrypted with equal length, so that hardly any byte is the same. */
function revealNothing(cursor: string, twin: string): boolean {
  if (cursor === twin) return true
  const [a, b] = [Buffer.from(cursor, 'base64url'), Buffer.from(twin, 'base64url')]
  const same = a.filter((byte, index) => byte === b[index]).length
  return a.length === b.length && same < a.length / 4
}

function readable(cursor: string): string {
  return Buffer.from(cursor, 'base64url')
    .toString('latin1')
    .replace(/[^\x20-\x7e]+/g, '·')
}
