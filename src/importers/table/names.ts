/** Unique names for URLs and filters: letters, digits and `_`. */
export function fieldNames(
  sources: readonly string[],
  reserved: readonly string[],
  keepCase: boolean,
): string[] {
  const taken = new Set(reserved)
  const counts = new Map<string, number>()
  return sources.map((source, index) => {
    const plain = simple(source, keepCase)
    const base = plain === '' || plain === '__proto__' ? `column_${index + 1}` : plain
    let name = base
    let count = counts.get(base) ?? 1
    while (taken.has(name)) name = `${base}_${++count}`
    counts.set(base, count)
    taken.add(name)
    return name
  })
}

function simple(source: string, keepCase: boolean): string {
  const written = source.normalize('NFC').trim()
  if (keepCase && /^[\p{L}_][\p{L}\p{N}\p{M}_]*$/u.test(written) && written.length <= 64) return written
  const parts = keepCase ? written : written.replace(/(\p{Ll}|\d)(?=\p{Lu}\p{Ll})/gu, '$1_')
  const words = parts.replace(/[^\p{L}\p{N}\p{M}]+/gu, '_').replace(/^_+|_+$/g, '')
  return [...(keepCase ? words : words.toLowerCase())].slice(0, 64).join('')
}

/** The name of a stream, from the name of a file or key. */
export function streamName(source: string): string {
  const file = source.slice(source.lastIndexOf('/') + 1).replace(/\.[a-z0-9]{1,8}$/i, '')
  return simple(file, false) || 'rows'
}

/** The common prefix of the file names, if it is long enough; otherwise the name of their folder. */
export function commonName(paths: readonly string[]): string {
  const names = paths.map(streamName)
  const [first = 'rows'] = names
  if (new Set(names).size <= 1) return first
  const common = commonStart(names).replace(/[\d_]+$/, '')
  if (common.length >= 3) return common
  const folder = commonStart(paths).replace(/\/?[^/]*$/, '')
  return folder === '' ? first : streamName(folder)
}

function commonStart(texts: readonly string[]): string {
  const [first = ''] = texts
  let length = first.length
  for (const text of texts) while (!text.startsWith(first.slice(0, length))) length--
  return first.slice(0, length)
}
