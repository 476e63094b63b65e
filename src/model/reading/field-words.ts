/** What a field is called by someone who does not know its name, by role. Operators of search have these names too. */
const WORDS: Readonly<Record<string, string>> = {
  actor: 'from sender author person user username',
  recipient: 'to recipient recipients',
  place: 'in channel folder mailbox room chat place',
  label: 'label labels tag tags category categories',
  'event-time': 'date time timestamp datetime when sent received created occurred_at',
  'primary-title': 'title subject name heading',
  'primary-text': 'text body content message',
  attachment: 'attachment attachments attachment_names file files',
}

const ROLES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([role, words]) => words.split(' ').map(word => [word, role] as const)),
)

/** The role of the fields that a word means, in any stream; undefined for a word that means none. */
export function roleMeant(word: string): string | undefined {
  return ROLES.get(word.trim().toLowerCase())
}
