import { nameOf } from '../model/reading/people.ts'

/** The parts of a conversation with an AI, which its records name in place of people. */
const AI_PARTS: Readonly<Record<string, string>> = {
  user: 'You',
  human: 'You',
  assistant: 'Assistant',
  system: 'System',
  tool: 'Tool',
}

/** Whether a text names a part of a conversation with an AI instead of a person. */
export function isAiPart(author: string | null): author is string {
  return author !== null && Object.hasOwn(AI_PARTS, author)
}

/** Who wrote a record, as lists show it: the name without the address, even one that an archive has altered. */
export function authorName(author: string): string {
  if (isAiPart(author)) return AI_PARTS[author] ?? author
  const name = nameOf(author)
  return name.replace(/(?<!\s)\s+<(?=[^<>]*(?: at |@))[^<>]*>$/, '') || name
}
