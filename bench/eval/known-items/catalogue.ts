import { readFileSync } from 'node:fs'

const MAGIC = 0x950412de
const HEADER_BYTES = 28

/** The translations in a compiled gettext catalogue, in the order of the file; plural forms are separate entries. */
export function translationsIn(file: string): string[] {
  const bytes = readFileSync(file)
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC)
    throw new Error(`${file} is not a little-endian catalogue of gettext.`)
  const [count, originals, translations] = [8, 12, 16].map(at => bytes.readUInt32LE(at)) as [
    number,
    number,
    number,
  ]
  const textAt = (table: number, n: number) => {
    const [length, start] = [bytes.readUInt32LE(table + 8 * n), bytes.readUInt32LE(table + 8 * n + 4)]
    return bytes.toString('utf8', start, start + length)
  }
  const texts: string[] = []
  for (let n = 0; n < count; n++)
    // The entry without an original describes the catalogue.
    if (textAt(originals, n) !== '') texts.push(...textAt(translations, n).split('\0'))
  return texts
}
