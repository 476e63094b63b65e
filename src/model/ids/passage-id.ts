/** A place in a text of a record, as one word: for clients that pass on only an id. */
export interface PassageId {
  /** The id of the record. */
  id: string
  field_path: string
  start_chars: number
}

const PASSAGE_ID = /^(.+)#([^#]+)@(\d{1,12})$/s

/** If the field cannot be written after a `#`, this is only the id of the record. */
export function formatPassageId({ id, field_path, start_chars }: PassageId): string {
  const made = `${id}#${field_path}@${start_chars}`
  return parsePassageId(made)?.field_path === field_path ? made : id
}

/** Null for an id without a passage. The last `#` counts, because record ids may contain others. */
export function parsePassageId(text: string): PassageId | null {
  const [, id, field_path, start] = PASSAGE_ID.exec(text) ?? []
  if (id === undefined || field_path === undefined) return null
  return { id, field_path, start_chars: Number(start) }
}
