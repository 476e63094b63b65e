/** What a person can start from; each becomes one message of the user. */
export interface StartingPoint {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
  message(args: Record<string, string>): string
}

const findAndCite: StartingPoint = {
  name: 'find_and_cite',
  title: 'Find and cite',
  description: 'Answers a question from your own records, with quotes that can be checked',
  arguments: [{ name: 'question', description: 'What you want to know', required: true }],
  message: ({ question }) =>
    `Answer from my own records: ${JSON.stringify(question ?? '')}\n` +
    'Search first, with the question and then with other words. Read the text around each match with read_record_field before you rely on it. ' +
    "Answer briefly; after each statement quote the words that support it and give the record's url. If the records do not say it, say so.",
}

const whatIsThere: StartingPoint = {
  name: 'what_is_there',
  title: 'What can you read?',
  description: 'Shows which of your data this assistant may read',
  arguments: [],
  message: () =>
    'Call schema, then aggregate a count for each stream, and tell me in a short table which of my accounts and streams you can read, how many records each has and what time they span.',
}

/** Every prompt. */
export const PROMPTS: readonly StartingPoint[] = [findAndCite, whatIsThere]
