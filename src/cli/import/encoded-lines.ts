const PART_CHARS = 256 * 1024

/** Lines as UTF-8, in parts, so that there is never a second copy of a whole long line in memory. */
export function* encodedLines(lines: readonly string[], partChars = PART_CHARS): Generator<Uint8Array> {
  for (const line of lines) {
    for (let start = 0; start < line.length; ) {
      const end = Math.min(line.length, start + partChars)
      const next = isHighSurrogate(line.charCodeAt(end - 1)) ? end + 1 : end
      yield Buffer.from(line.slice(start, next))
      start = next
    }
    yield Buffer.from('\n')
  }
}

/** Whether the unit is the first half of a surrogate pair. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
