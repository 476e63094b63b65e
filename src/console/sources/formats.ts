import { html } from 'hono/html'
import type { Html } from '../../pages/layout.ts'

const FORMATS: readonly (readonly [kind: string, formats: string])[] = [
  ['Mail', 'mbox files, single messages (.eml), Maildir folders, Google Takeout'],
  ['Chats', 'WhatsApp, Telegram, Slack, Discord, Signal, Google Chat, Skype, iMessage, SMS and MMS'],
  ['AI conversations', 'ChatGPT, Claude, DeepSeek, Claude Code, Codex, Gemini (Google My Activity)'],
  ['Notes', 'Markdown, Obsidian, Notion, Google Keep, Apple Notes, Evernote, Roam Research, Logseq'],
  ['Calendars and contacts', 'iCalendar (.ics), vCard (.vcf)'],
  ['Social networks', 'Facebook, Instagram, X (Twitter), Mastodon'],
  ['Documents', 'PDF, office files, e-books, web pages, plain text'],
  ['Tables', 'CSV, JSON, JSON lines'],
  ['Other', 'Apple Health, Spotify, bookmarks and browser history'],
]

/** The formats that can be imported, folded unless the owner needs them now. */
export function formatList(isOpen: boolean): Html {
  return html`<details class="card" ${isOpen ? 'open' : ''}><summary>What you can import</summary><dl class="facts wide">${FORMATS.map(
    ([kind, formats]) => html`<div><dt>${kind}</dt><dd>${formats}</dd></div>`,
  )}</dl><p class="soft small">As files, folders, zip or tar archives, as the app or service exported them.</p></details>`
}
