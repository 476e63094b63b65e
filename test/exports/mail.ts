import { type MadeExport, millis, upTo, words } from './made-export.ts'

const letter = (i: number, more = '') =>
  `From: Ada <ada@example.org>\nTo: ben@example.org\nSubject: ${words(i)}\nMessage-ID: <m${i}@example.org>\n` +
  `Date: ${new Date(millis(i)).toUTCString()}\n${more}\n${words(i)}\n`
const mailbox = (items: number, more?: string) =>
  upTo(items, i => `From ada@example.org Mon Jan  1 10:00:00 2024\n${letter(i, more)}\n`).join('')
const letters = (items: number, path: (i: number) => string) =>
  Object.fromEntries(upTo(items, i => [path(i), letter(i)]))

export const MAIL: MadeExport[] = [
  { format: 'mbox', of: items => ({ 'inbox.mbox': mailbox(items) }) },
  {
    format: 'google-takeout-mail',
    of: items => ({ 'Takeout/Mail/All.mbox': mailbox(items, 'X-Gmail-Labels: Inbox,Home\n') }),
  },
  { format: 'eml', of: items => letters(items, i => `${i}.eml`) },
  { format: 'maildir', of: items => letters(items, i => `cur/${1_700_000_000 + i}.a.host:2,S`) },
]
