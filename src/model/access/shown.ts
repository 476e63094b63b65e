/** Fields of one or several records of a stream: what an answer showed of them, or what it was decided by. */
export interface Shown {
  connection_id: string
  stream: string
  /** Empty when the answer was about the stream as a whole, such as a number or a search. */
  record_ids: string[]
  fields: string[]
  /** Code-point ranges of the texts that were shown in part, by their path. */
  ranges?: Record<string, [start: number, end: number][]>
}
