import { nameOf } from '../model/reading/people.ts'

/** The parts of a conversation with an AI, which its records name in place of people. */
const AI_PARTS: Readonly<Record<string, string>> = {
  user: 'You',
  assistant: 'Assistant',
  system: 'System',
  tool: 'Tool',
}

/** Whether a text names a part of a conversation with an AI instead of a person. */
export function isAiPart(author: string | null): author is string {
  return author !== null && Object.hasOwn(AI_PARTS, author)
}

/** Who wrote a record, as lists show it: the name without the address. */
export function authorName(author: string): string {
  return isAiPart(author) ? (AI_PARTS[author] ?? author) : nameOf(author)
}
