import type { Head } from '../reading/head.ts'

export const NAMED_MAIL = /\.(?:eml|mbox|mbx)$/i

/** Whether a file is named like mail, or has a line that begins like a mail header or the separator of an mbox. */
export function mayBeMail({ path, bytes }: Head): boolean {
  return NAMED_MAIL.test(path) || /^(?:\xef\xbb\xbf)?(?:>?From |[!-9;-~]{1,100}[ \t]*:)/m.test(bytes)
}
