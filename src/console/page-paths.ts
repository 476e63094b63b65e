/** The page of a person, named by an address or a name. */
export function personPath(key: string): string {
  return `/people/${encodeURIComponent(key)}`
}

/** The records of one kind in a source. */
export function recordsPath(connection_id: string, kind: string, from?: string): string {
  const query = new URLSearchParams({ kind, ...(from === undefined ? {} : { from }) })
  return `/sources/${connection_id}/records?${query}`
}
