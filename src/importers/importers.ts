import type { Declaration } from '../model/declaration/declaration.ts'
import { claudeCode, codex } from './agent-logs/agent-logs.ts'
import { CLAUDE_CODE, CODEX } from './agent-logs/declaration.ts'
import { APPLE_HEALTH, appleHealth } from './apple-health/apple-health.ts'
import { APPLE_NOTES, appleNotes } from './apple-notes/apple-notes.ts'
import { BROWSER, browser } from './browser/browser.ts'
import { calendar } from './calendar/calendar.ts'
import { CALENDAR } from './calendar/declaration.ts'
import { chatgpt } from './chatgpt/chatgpt.ts'
import { CHATGPT } from './chatgpt/declaration.ts'
import { claude } from './claude/claude.ts'
import { CLAUDE } from './claude/declaration.ts'
import { contacts } from './contacts/contacts.ts'
import { CONTACTS } from './contacts/declaration.ts'
import { DISCORD, discord } from './discord/discord.ts'
import { DOCUMENTS } from './documents/declaration.ts'
import { documents } from './documents/documents.ts'
import { EVERNOTE, evernote } from './evernote/evernote.ts'
import { GOOGLE_ACTIVITY, googleActivity } from './google-activity/google-activity.ts'
import { IMESSAGE, imessage } from './imessage/imessage.ts'
import type { Importer } from './importer.ts'
import { KEEP, keep } from './keep/keep.ts'
import { MAIL } from './mail/declaration.ts'
import { eml, maildir, mbox, takeoutMail } from './mail/mail.ts'
import { MARKDOWN } from './markdown/declaration.ts'
import { markdown } from './markdown/markdown.ts'
import { MASTODON, mastodon } from './mastodon/mastodon.ts'
import { META, meta } from './meta/meta.ts'
import { LOGSEQ, ROAM } from './outline/declaration.ts'
import { logseq, roam } from './outline/outline.ts'
import { SIGNAL, signal } from './signal/signal.ts'
import { SLACK } from './slack/declaration.ts'
import { slack } from './slack/slack.ts'
import { SMS_BACKUP, smsBackup } from './sms-backup/sms-backup.ts'
import { SPOTIFY, spotify } from './spotify/spotify.ts'
import { table } from './table/table.ts'
import { TELEGRAM, telegram } from './telegram/telegram.ts'
import { WHATSAPP, whatsapp } from './whatsapp/whatsapp.ts'
import { X, x } from './x/x.ts'

/** Every format that can be imported. If two find equally many items, the first of them is used. */
export const IMPORTERS: readonly Importer[] = [
  mbox,
  takeoutMail,
  eml,
  maildir,
  slack,
  chatgpt,
  claude,
  whatsapp,
  markdown,
  telegram,
  signal,
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

/**
 * The sources for which every server accepts requests, even if the owner has not imported them. Tables are not among
 * them, because their files determine the declaration.
 */
export const SHIPPED_SOURCES: readonly Declaration[] = [
  MAIL,
  SLACK,
  CHATGPT,
  CLAUDE,
  WHATSAPP,
  MARKDOWN,
  TELEGRAM,
  SIGNAL,
  IMESSAGE,
  SMS_BACKUP,
  CLAUDE_CODE,
  CODEX,
  CALENDAR,
  CONTACTS,
  DISCORD,
  KEEP,
  APPLE_NOTES,
  ROAM,
  LOGSEQ,
  META,
  X,
  MASTODON,
  GOOGLE_ACTIVITY,
  EVERNOTE,
  APPLE_HEALTH,
  SPOTIFY,
  BROWSER,
  DOCUMENTS,
]
