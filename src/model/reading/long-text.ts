import { createHash, hash } from 'node:crypto'
import { define, isObject, type Json, type JsonObject } from '../json.ts'
import { countCodePoints } from '../text/code-points.ts'
import { isLongText, LONG_TEXT_CHARS, piecesOf, type TakenText } from '../text/pieces.ts'

/** Takes every long string out of the data, at any depth, and leaves an empty string in its place. */
export function takeLongTexts(data: JsonObject): { data: JsonObject; texts: TakenText[] } {
  const texts: TakenText[] = []
  const take = (value: Json, path: string[]): Json => {
    if (typeof value === 'string') {
      if (!isLongText(value)) return value
      texts.push({ path, pieces: { [Symbol.iterator]: () => piecesOf(value) }, ...measure(value) })
      return ''
    }
    if (Array.isArray(value)) return value.map((item, index) => take(item, [...path, String(index)]))
    if (!isObject(value)) return value
    const copy: JsonObject = {}
    for (const [key, child] of Object.entries(value)) define(copy, key, take(child, [...path, key]))
    return copy
  }
  return { data: take(data, []) as JsonObject, texts }
}

/** Puts a text back where a long one was taken out. */
export function putAt(data: JsonObject, path: readonly string[], text: string): void {
  let parent: Json = data
  for (const segment of path.slice(0, -1)) parent = (parent as JsonObject)[segment] as Json
  const last = path.at(-1) ?? ''
  if (Array.isArray(parent)) parent[Number(last)] = text
  else define(parent as JsonObject, last, text)
}

/** Whether a JSON text of this length can contain a long string at all. */
export function mayHoldLongText(length: number): boolean {
  return length > LONG_TEXT_CHARS
}

function measure(text: string): { size_chars: number; digest: string } {
  const content = createHash('sha256')
  let size_chars = 0
  for (const piece of piecesOf(text)) {
    content.update(piece)
    size_chars += countCodePoints(piece)
  }
  return { size_chars, digest: `sha256:${content.digest('hex')}` }
}

export function digestOf(text: string): string {
  return `sha256:${hash('sha256', text)}`
}
