/** Names for a message, so that the caller can correct a request: the first of them, and whether there are more. */
export function someNames(names: Iterable<string>, most: number): string {
  const all = [...new Set(names)]
  return `${all.slice(0, most).join(', ')}${all.length > most ? ' and more' : ''}`
}
