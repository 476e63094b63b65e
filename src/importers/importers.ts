import { claudeCode, codex } from './agent-logs/agent-logs.ts'
import { appleHealth } from './apple-health/apple-health.ts'
import { appleNotes } from './apple-notes/apple-notes.ts'
import { browser } from './browser/browser.ts'
import { calendar } from './calendar/calendar.ts'
import { chatgpt } from './chatgpt/chatgpt.ts'
import { claude } from './claude/claude.ts'
import { contacts } from './contacts/contacts.ts'
import { deepseek } from './deepseek/deepseek.ts'
import { discord } from './discord/discord.ts'
import { documents } from './documents/documents.ts'
import { evernote } from './evernote/evernote.ts'
import { googleActivity } from './google-activity/google-activity.ts'
import { googleChat } from './google-chat/google-chat.ts'
import { imessage } from './imessage/imessage.ts'
import type { Importer } from './importer.ts'
import { keep } from './keep/keep.ts'
import { eml, maildir, mbox, takeoutMail } from './mail/mail.ts'
import { markdown } from './markdown/markdown.ts'
import { mastodon } from './mastodon/mastodon.ts'
import { meta } from './meta/meta.ts'
import { logseq, roam } from './outline/outline.ts'
import { signal } from './signal/signal.ts'
import { skype } from './skype/skype.ts'
import { slack } from './slack/slack.ts'
import { smsBackup } from './sms-backup/sms-backup.ts'
import { spotify } from './spotify/spotify.ts'
import { table } from './table/table.ts'
import { telegram } from './telegram/telegram.ts'
import { whatsapp } from './whatsapp/whatsapp.ts'
import { x } from './x/x.ts'

/** Every format that can be imported. If two find equally many items, the first of them is used. */
export const IMPORTERS: readonly Importer[] = [
  mbox,
  takeoutMail,
  eml,
  maildir,
  slack,
  chatgpt,
  claude,
  deepseek,
  whatsapp,
  markdown,
  telegram,
  signal,
  googleChat,
  skype,
  imessage,
  smsBackup,
  claudeCode,
  codex,
  calendar,
  contacts,
  discord,
  keep,
  appleNotes,
  roam,
  logseq,
  meta,
  x,
  mastodon,
  googleActivity,
  evernote,
  appleHealth,
  spotify,
  browser,
  documents,
  table,
]
