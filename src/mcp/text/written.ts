const bytes = new WeakMap<object, Buffer>()

/** The JSON of a value that no longer changes: it is serialised once, however often it is measured and sent. */
export function written(value: object): Buffer {
  const known = bytes.get(value)
  if (known) return known
  const made = Buffer.from(JSON.stringify(value))
  bytes.set(value, made)
  return made
}
