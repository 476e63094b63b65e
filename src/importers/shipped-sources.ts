import type { Declaration } from '../model/declaration/declaration.ts'
import { CLAUDE_CODE, CODEX } from './agent-logs/declaration.ts'
import { APPLE_HEALTH } from './apple-health/declaration.ts'
import { APPLE_NOTES } from './apple-notes/declaration.ts'
import { BROWSER } from './browser/declaration.ts'
import { CALENDAR } from './calendar/declaration.ts'
import {
  DEEPSEEK,
  DISCORD,
  GOOGLE_CHAT,
  IMESSAGE,
  KAKAOTALK,
  LINE,
  SIGNAL,
  SKYPE,
  SMS_BACKUP,
  TELEGRAM,
  WHATSAPP,
} from './chat/messengers.ts'
import { CHATGPT } from './chatgpt/declaration.ts'
import { CLAUDE } from './claude/declaration.ts'
import { CONTACTS } from './contacts/declaration.ts'
import { DOCUMENTS } from './documents/declaration.ts'
import { EVERNOTE } from './evernote/declaration.ts'
import { GOOGLE_ACTIVITY } from './google-activity/declaration.ts'
import { KEEP } from './keep/declaration.ts'
import { MAIL } from './mail/declaration.ts'
import { MARKDOWN } from './markdown/declaration.ts'
import { MASTODON } from './mastodon/declaration.ts'
import { META } from './meta/declaration.ts'
import { LOGSEQ, ROAM } from './outline/declaration.ts'
import { SLACK } from './slack/declaration.ts'
import { SPOTIFY } from './spotify/declaration.ts'
import { X } from './x/declaration.ts'

/**
 * The sources for which every server accepts requests, even if the owner has not imported them. Tables are not among
 * them, because their files determine the declaration.
 */
export const SHIPPED_SOURCES: readonly Declaration[] = [
  MAIL,
  SLACK,
  CHATGPT,
  CLAUDE,
  DEEPSEEK,
  WHATSAPP,
  MARKDOWN,
  TELEGRAM,
  SIGNAL,
  GOOGLE_CHAT,
  SKYPE,
  IMESSAGE,
  SMS_BACKUP,
  KAKAOTALK,
  LINE,
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
