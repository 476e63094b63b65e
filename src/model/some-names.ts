/** Names for a message, each once: the first of them, and how many more there are. */
export function someNames(names: Iterable<string>, most: number): string {
  const all = [...new Set(names)]
  const more = all.length > most ? ` and ${all.length - most} more` : ''
  return `${all.slice(0, most).join(', ')}${more}`
}
