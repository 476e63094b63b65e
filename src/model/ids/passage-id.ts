/** A place in a text of a record, in one word: for clients that pass on an id and nothing else. */
export interface PassageId {
  /** The id of the record. */
  id: string
  field_path: string
  start_chars: number
}

const PASSAGE_ID = /^(.+)#([^#]+)@(\d{1,12})$/s

/** The id of the record alone where its field cannot be named behind a `#`. */
export function formatPassageId({ id, field_path, start_chars }: PassageId): string {
  const made = `${id}#${field_path}@${start_chars}`
  return parsePassageId(made)?.field_path === field_path ? made : id
}

/** Null for an id without a passage. The last `#` decides: ids of records may contain others. */
export function parsePassageId(text: string): PassageId | null {
  const [, id, field_path, start] = PASSAGE_ID.exec(text) ?? []
  if (id === undefined || field_path === undefined) return null
  return { id, field_path, start_chars: Number(start) }
}
