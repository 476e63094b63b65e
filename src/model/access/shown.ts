/** What a response showed of one or several records of a stream. */
export interface Shown {
  connection_id: string
  stream: string
  /** Empty when the response showed a number over records, not records. */
  record_ids: string[]
  fields: string[]
  /** Code-point ranges of the texts that were shown in part, by their path. */
  ranges?: Record<string, [start: number, end: number][]>
}
