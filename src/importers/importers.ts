import { chatgpt } from './chatgpt/chatgpt.ts'
import type { Importer } from './importer.ts'
import { eml, maildir, mbox, takeoutMail } from './mail/mail.ts'
import { markdown } from './markdown/markdown.ts'
import { slack } from './slack/slack.ts'
import { table } from './table/table.ts'

/** Every format that can be imported. If two find equally many items, the first of them is used. */
export const IMPORTERS: readonly Importer[] = [
  mbox,
  takeoutMail,
  eml,
  maildir,
  slack,
  chatgpt,
  markdown,
  table,
]
