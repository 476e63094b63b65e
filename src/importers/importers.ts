import type { Importer } from './importer.ts'
import { mayBeMail } from './mail/sign.ts'
import { NOTE } from './markdown/note-names.ts'
import { anyOf, isDatabase, json, named, text } from './reading/head.ts'

const LIST_OF_OBJECTS = /^\s*\[\s*\{/
const OBJECT = /^\s*\{/

/** Every format that can be imported. If two find equally many items, the first of them is used. */
export const IMPORTERS: readonly Importer[] = [
  mail('mbox', 'Mail in mbox files'),
  mail('google-takeout-mail', 'Mail from Google Takeout'),
  mail('eml', 'Mail, one file per message'),
  mail('maildir', 'Mail in maildir folders'),
  {
    format: 'slack',
    label: 'Slack export',
    sign: anyOf(named(/\/\d{4}-\d{2}-\d{2}\.json$/), json(/^\s*\[/, /"ts"\s*:\s*"\d{9,11}\.\d{6}"/)),
    load: () => import('./slack/slack.ts'),
  },
  {
    format: 'chatgpt',
    label: 'ChatGPT export',
    sign: text(LIST_OF_OBJECTS, /"(?:mapping|title|create_time|conversation_id)"\s*:/),
    load: () => import('./chatgpt/chatgpt.ts'),
  },
  {
    format: 'claude',
    label: 'Claude export',
    sign: json(/"uuid"\s*:/),
    load: () => import('./claude/claude.ts'),
  },
  {
    format: 'deepseek',
    label: 'DeepSeek export',
    sign: json(LIST_OF_OBJECTS, /"mapping"\s*:\s*\{/, /"inserted_at"\s*:\s*"/),
    load: () => import('./deepseek/deepseek.ts'),
  },
  {
    format: 'whatsapp',
    label: 'WhatsApp chats',
    // A line begins with a number, perhaps after marks and brackets.
    sign: text(/^[^\p{L}\p{Nd}\n]*\p{Nd}/mu),
    load: () => import('./whatsapp/whatsapp.ts'),
  },
  {
    format: 'kakaotalk',
    label: 'KakaoTalk chats',
    sign: anyOf(
      text(
        /카카오톡 대화|KakaoTalk Chats|^Date Saved ?:|^-{3,} .*\d{4}.* -{3,}\r?$|^\d{4}[년.].*\d:\d{2}, /m,
      ),
      named(/\.csv$/i, /^"?Date"?,"?User"?,"?Message"?\r?\n/),
    ),
    load: () => import('./kakaotalk/kakaotalk.ts'),
  },
  {
    format: 'line',
    label: 'LINE chats',
    sign: text(/^\[LINE\] /, /\t/),
    load: () => import('./line/line.ts'),
  },
  {
    format: 'markdown',
    label: 'Markdown notes',
    stage: 'files',
    sign: named(NOTE),
    load: () => import('./markdown/markdown.ts'),
  },
  {
    format: 'telegram',
    label: 'Telegram export',
    sign: anyOf(
      json(OBJECT, /"messages"\s*:\s*\[|"about"\s*:\s*"Here is the data you requested/),
      named(/\.html$/i, /<title>Exported Data<\/title>/, /<div class="(?:page_body chat_page|history)"/),
    ),
    load: () => import('./telegram/telegram.ts'),
  },
  {
    format: 'signal',
    label: 'Signal chats (signal-export)',
    // Each line is a message with these members in this order.
    sign: json(/^\{"date": ?"[^"]{10,40}", ?"sender": ?"/, /"body": ?"/),
    load: () => import('./signal/signal.ts'),
  },
  {
    format: 'google-chat',
    label: 'Google Chat (Takeout)',
    sign: json(/^\s*\{\s*"messages"\s*:\s*\[/, /"creator"\s*:/, /"created_date"\s*:/),
    load: () => import('./google-chat/google-chat.ts'),
  },
  {
    format: 'skype',
    label: 'Skype export',
    sign: json(OBJECT, /"conversations"\s*:\s*\[/, /"MessageList"\s*:\s*\[/),
    load: () => import('./skype/skype.ts'),
  },
  {
    format: 'imessage',
    label: 'iMessage and SMS (chat.db)',
    sign: isDatabase,
    load: () => import('./imessage/imessage.ts'),
  },
  {
    format: 'sms-backup',
    label: 'SMS and MMS (SMS Backup & Restore)',
    stage: 'files',
    sign: named(/\.xml$/i, /<smses\b/),
    load: () => import('./sms-backup/sms-backup.ts'),
  },
  {
    format: 'claude-code',
    label: 'Claude Code sessions',
    sign: named(/\.jsonl$/i, /^\{/),
    load: () => import('./agent-logs/agent-logs.ts'),
  },
  {
    format: 'codex',
    label: 'Codex sessions',
    sign: named(/\.jsonl$/i, /^\{/),
    load: () => import('./agent-logs/agent-logs.ts'),
  },
  {
    format: 'ics',
    label: 'Calendars (iCalendar)',
    stage: 'files',
    sign: text(/^\s*BEGIN:V(?:CALENDAR|EVENT|TODO|JOURNAL)\b/i),
    load: () => import('./calendar/calendar.ts'),
  },
  {
    format: 'vcard',
    label: 'Contacts (vCard)',
    stage: 'files',
    sign: text(/^\s*BEGIN:VCARD/i),
    load: () => import('./contacts/contacts.ts'),
  },
  {
    format: 'discord',
    label: 'Discord export',
    sign: anyOf(
      json(/^\s*\{\s*"guild"\s*:/, /"channel"\s*:\s*\{/, /"messages"\s*:\s*\[/),
      named(/\/c?\d+\/messages\.(?:json|csv)$/i),
    ),
    load: () => import('./discord/discord.ts'),
  },
  {
    format: 'google-keep',
    label: 'Google Keep notes',
    sign: json(OBJECT, /"(?:userEdited|created)TimestampUsec"\s*:/, /"isTrashed"\s*:/),
    load: () => import('./keep/keep.ts'),
  },
  {
    format: 'apple-notes',
    label: 'Apple Notes',
    sign: named(/\.csv$/i, /^"?Title"?,"?Created On"?,"?Modified On"?,/),
    load: () => import('./apple-notes/apple-notes.ts'),
  },
  {
    format: 'roam',
    label: 'Roam Research export',
    sign: json(
      LIST_OF_OBJECTS,
      /"title"\s*:\s*"/,
      /"(?:string|edit-time)"\s*:/,
      /"(?:uid|edit-time|create-time)"\s*:/,
    ),
    load: () => import('./outline/outline.ts'),
  },
  {
    format: 'logseq',
    label: 'Logseq export',
    sign: json(/^\s*\{\s*"version"\s*:\s*\d+\s*,\s*"blocks"\s*:\s*\[/),
    load: () => import('./outline/outline.ts'),
  },
  {
    format: 'facebook-instagram',
    label: 'Facebook or Instagram export',
    sign: json(/^\s*[[{]/, /"(?:(?:creation_)?timestamp|timestamp_ms|isUnsent)"\s*:/),
    load: () => import('./meta/meta.ts'),
  },
  {
    format: 'x',
    label: 'X (Twitter) archive',
    sign: named(/\.js$/i, /^\s*window\.YTD\.\w+\.part\d+\s*=/),
    load: () => import('./x/x.ts'),
  },
  {
    format: 'mastodon',
    label: 'Mastodon archive',
    sign: json(/"type"\s*:\s*"OrderedCollection"/, /"orderedItems"\s*:\s*\[\s*\{/),
    load: () => import('./mastodon/mastodon.ts'),
  },
  {
    format: 'google-activity',
    label: 'Google My Activity (Gemini, Search, YouTube and more)',
    sign: anyOf(
      json(/^\s*\[\s*\{\s*"header"\s*:/, /"time"\s*:\s*"\d{4}-/),
      named(/\.html?$/i, /class="outer-cell/),
      named(/(?:^|\/)(?:MyActivity|My Activity|watch-history|search-history)\.html$/i, /mdl-|\.content-cell/),
    ),
    load: () => import('./google-activity/google-activity.ts'),
  },
  {
    format: 'enex',
    label: 'Evernote export (ENEX)',
    stage: 'files',
    sign: text(/^\s*<[\s\S]{0,1000}<en-export\b/),
    load: () => import('./evernote/evernote.ts'),
  },
  {
    format: 'apple-health',
    label: 'Apple Health export',
    stage: 'files',
    sign: named(/\.xml$/i, /<!DOCTYPE HealthData\b|<HealthData\b/),
    load: () => import('./apple-health/apple-health.ts'),
  },
  {
    format: 'spotify',
    label: 'Spotify listening history',
    sign: anyOf(
      json(LIST_OF_OBJECTS, /"ms_played"\s*:/, /"master_metadata_track_name"\s*:/),
      json(LIST_OF_OBJECTS, /"endTime"\s*:/, /"msPlayed"\s*:/),
    ),
    load: () => import('./spotify/spotify.ts'),
  },
  {
    format: 'browser',
    label: 'Bookmarks and browser history',
    sign: anyOf(
      named(/\.html?$/i, /^\s*<!DOCTYPE NETSCAPE-Bookmark-file-1>/i),
      json(/^\s*\{\s*"Browser History"\s*:\s*\[/, /"time_usec"\s*:/),
      isDatabase,
    ),
    load: () => import('./browser/browser.ts'),
  },
  {
    format: 'documents',
    label: 'Documents (PDF, office documents, e-books, texts, web pages)',
    stage: 'document',
    sign: () => true,
    load: () => import('./documents/documents.ts'),
  },
  {
    format: 'table',
    label: 'Tables: CSV, JSON and JSON lines',
    stage: 'any',
    sign: () => true,
    load: () => import('./table/table.ts'),
  },
]

function mail(format: string, label: string): Importer {
  return { format, label, stage: 'files', sign: mayBeMail, load: () => import('./mail/mail.ts') }
}
