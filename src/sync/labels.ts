import type { FetchMessageObject } from 'imapflow'

/** Standard flags, as mail programs name them. `\Seen` is shown by its absence. */
const NAMES: Readonly<Record<string, string>> = {
  '\\answered': 'Answered',
  '\\flagged': 'Flagged',
  '\\draft': 'Draft',
  '\\deleted': 'Deleted',
}
/** Gmail's own labels, as its export names them. */
const GMAIL: Readonly<Record<string, string>> = { '\\Draft': 'Drafts' }
const MOST_LABELS = 50
const MOST_CHARS = 100

/** The labels of a message: its flags and keywords, and Gmail's labels. */
export function labelsOf({ flags, labels }: Pick<FetchMessageObject, 'flags' | 'labels'>): string[] {
  const found = new Set<string>()
  for (const flag of flags ?? []) {
    const name = flag.startsWith('\\') ? NAMES[flag.toLowerCase()] : flag
    if (name !== undefined) found.add(name)
  }
  if (flags && ![...flags].some(flag => flag.toLowerCase() === '\\seen')) found.add('Unread')
  for (const label of labels ?? []) found.add(GMAIL[label] ?? label.replace(/^\\/, ''))
  return [...found]
    .map(label => label.slice(0, MOST_CHARS))
    .sort()
    .slice(0, MOST_LABELS)
}
