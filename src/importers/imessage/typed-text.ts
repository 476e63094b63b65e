const STRING_CLASS = Buffer.from('NSString')
/** Starts a value of the type "bytes": a length and the bytes follow. */
const BYTES_FOLLOW = Buffer.from([0x84, 0x01, 0x2b])
const MOST_BETWEEN = 16

/** The text of an attributed string as Apple's typed streams store it (`attributedBody`); null if there is none. */
export function typedText(stream: Buffer): string | null {
  const name = stream.indexOf(STRING_CLASS)
  if (name === -1) return null
  const mark = stream.indexOf(BYTES_FOLLOW, name)
  if (mark === -1 || mark - name > STRING_CLASS.length + MOST_BETWEEN) return null
  const at = mark + BYTES_FOLLOW.length
  const [length, start] = lengthAt(stream, at)
  return start + length > stream.length ? null : stream.toString('utf8', start, start + length)
}

/** Reads a length of one byte, or of two or four bytes after a marker, and returns where the bytes begin. */
function lengthAt(stream: Buffer, at: number): [length: number, start: number] {
  const first = stream[at] ?? 0
  if (first === 0x81 && at + 3 <= stream.length) return [stream.readUInt16LE(at + 1), at + 3]
  if (first === 0x82 && at + 5 <= stream.length) return [stream.readUInt32LE(at + 1), at + 5]
  return first < 0x80 ? [first, at + 1] : [stream.length, at]
}
