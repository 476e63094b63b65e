import { bytesOf } from './quote.ts'

const texts = new WeakMap<object, string>()

/** The JSON of a value that no longer changes: it is serialised once, however often it is measured and sent. */
export function written(value: object): string {
  const known = texts.get(value)
  if (known !== undefined) return known
  const made = JSON.stringify(value)
  texts.set(value, made)
  return made
}

export function writtenBytes(value: object): number {
  return bytesOf(written(value))
}
