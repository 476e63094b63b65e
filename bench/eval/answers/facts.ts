/** A call that a model can make from only the words of the question. */
export type First = Record<string, unknown>

/** What a record must show: a part of its text, its author, its time. */
export interface Expected {
  words?: string
  author?: string
  /** An instant. */
  at?: string
}

/** The fourteen questions about one life: what to ask with, and what the answer must contain. */
export interface Facts {
  suggested: { search: First; expected: Expected }
  thread: { search: First; decided: string; messages: number; bytes: number }
  figures: {
    month: { key: string; count: number }
    sender: { key: string; count: number }
    senderMonth: { sender: string; month: string; count: number }
  }
  lastFrom: { person: string; expected: Expected }[]
  conversation: { search: First; first: string; last: string; messages: number }
  asked: { search: First; question: string }
  saidInChannel: { person: string; channel: string; month: string; said: string[] }
  attachment: { type: string; subjects: string[]; text: string }
  day: { day: string; words: string[]; not: string[] }
  person: { search: First; sources: string[] }
  mentioned: { word: string; last: Expected; first: Expected; week: { key: string; count: number } }
  mailAlone: { search: First; mailboxes: string[]; not: string }
  quoted: { search: First; quote: string }
  nothing: {
    /** A misspelt name, and the one that is visible. */
    person: { wrong: string; right: string }
    filter: { stream: string; field: string; value: string; count: number }
    time: { search: First; until: string }
    /** Sources that must be named. */
    sources: string[]
  }
}
