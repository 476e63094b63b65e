import { type JsonObject, objectsIn } from '../../model/json.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { idIn, idsIn, objectIn } from '../reading/json-values.ts'
import { repeatedId } from '../record-id.ts'
import { timesAt, timesAtIn } from '../times.ts'
import { type Names, type Rendered, renderMarkup, textOfBlocks } from './markup.ts'
import { type Channel, type Directory, text } from './people.ts'

const TIMESTAMP = /^(\d{1,11})\.(\d{1,9})$/

/** A message is identified by its channel and `ts`, as in Slack itself. */
export function messageKey(channel: Channel, ts: string, repeat: number): string {
  return repeatedId(repeat, 'slack message', channel.id, ts)
}

export function hasTimestamp({ ts }: JsonObject): boolean {
  return typeof ts === 'string' && TIMESTAMP.test(ts)
}

export function messageRecord(
  message: JsonObject,
  key: string,
  channel: Channel,
  directory: Directory,
  blobs: ReadonlyMap<string, { blob_id: string; size_bytes: number }>,
): JsonObject {
  const { names } = directory
  const ts = String(message.ts)
  const sender = senderOf(message, directory)
  const sent = timesOf(ts, sender.zone)
  const thread = text(message.thread_ts)
  const replies = Array.isArray(message.replies) ? message.replies.length : 0
  const reply_count = typeof message.reply_count === 'number' ? message.reply_count : replies
  const body = bodyOf(message, names)
  const edited = objectIn(message.edited)
  const editor = text(edited.user)
  const files = filesOf(message, blobs)
  const reactions = reactionsOf(message, names)
  const subtype = text(message.subtype)
  return {
    id: key,
    text: body.text === '' ? null : body.text,
    channel: channel.name,
    channel_id: channel.id,
    channel_kind: channel.kind,
    sender: sender.name,
    sender_id: sender.id,
    is_bot: sender.isBot,
    sent_at: sent.utc,
    sent_at_local: sent.local,
    thread_id:
      thread !== null ? messageKey(channel, thread, 0) : reply_count > 0 ? messageKey(channel, ts, 0) : null,
    is_thread_root: thread === null ? reply_count > 0 : thread === ts,
    reply_count,
    kind: subtype ?? 'message',
    edited_at: text(edited.ts) ? timesOf(String(edited.ts), null).utc : null,
    edited_by: editor === null ? null : (names.user(editor) ?? editor),
    is_deleted: subtype === 'tombstone' || subtype === 'message_deleted',
    quoted: quotedOf(message, names),
    links: body.links,
    mentions: body.mentions,
    reactions,
    reaction_count: reactions.reduce((sum, { count }) => sum + Number(count), 0),
    files,
    source_id: ts,
  }
}

/** Keeps the microseconds, which determine the order of messages in the same millisecond. */
function timesOf(ts: string, zone: string | null): { utc: string; local: string | null } {
  const [, seconds = '0', fraction = ''] = TIMESTAMP.exec(ts) ?? []
  const epochMs = Number(seconds) * 1000
  const precise = (iso: string) =>
    /[1-9]/.test(fraction) ? iso.replace(/(:\d\d)(Z|[+-]\d\d:\d\d)$/, `$1.${fraction}$2`) : iso
  const utc = timesAt(epochMs, 0)?.utc ?? '1970-01-01T00:00:00Z'
  const local = zone === null ? null : (timesAtIn(epochMs, zone)?.local ?? null)
  return { utc: precise(utc), local: local === null ? null : precise(local) }
}

function senderOf(message: JsonObject, directory: Directory) {
  // Of a comment on a file, only the comment says who wrote it.
  const comment = objectIn(message.comment)
  const id = text(message.user) ?? text(message.bot_id) ?? text(comment.user)
  const known = id === null ? null : directory.user(id)
  const profile = objectIn(message.user_profile)
  const bot = objectIn(message.bot_profile)
  const isBot = known?.isBot === true || message.subtype === 'bot_message' || text(message.bot_id) !== null
  // A bot may use a different name for each message.
  const own = isBot ? text(message.username) : null
  const name =
    own ??
    known?.name ??
    text(profile.display_name) ??
    text(profile.real_name) ??
    text(message.username) ??
    text(bot.name) ??
    id
  return { id, name, isBot, zone: known?.zone ?? null }
}

/** The text that Slack shows: `text`, or the blocks if there is no text. */
function bodyOf(message: JsonObject, names: Names): Rendered {
  const written = text(message.text)
  if (written !== null) return renderMarkup(written, names)
  return textOfBlocks(message.blocks, names)
}

/** What Slack shows below the text: link previews, attachments of bots, quoted messages. */
function quotedOf(message: JsonObject, names: Names): string[] {
  return objectsIn(message.attachments).flatMap(attachment => {
    const parts = [attachment.pretext, attachment.author_name, attachment.title, attachment.text]
    const fields = objectsIn(attachment.fields)
    const lines = [...parts, ...fields.flatMap(field => [field.title, field.value])]
      .map(text)
      .filter(line => line !== null)
    const blocks = lines.length === 0 ? textOfBlocks(attachment.blocks, names).text : ''
    const shown = lines.length > 0 ? lines.join('\n') : blocks || (text(attachment.fallback) ?? '')
    return shown === '' ? [] : [renderMarkup(shown, names).text]
  })
}

function reactionsOf(message: JsonObject, names: Names): JsonObject[] {
  return objectsIn(message.reactions).map(({ name, count, users }) => {
    const people = idsIn(users).map(id => names.user(id) ?? id)
    const number = typeof count === 'number' && Number.isInteger(count) ? count : people.length
    return { name: idIn(name) ?? '', count: number, users: people }
  })
}

/** The files of a message; old exports have one under `file`, comments have theirs in `comment`. */
export function rawFilesOf(message: JsonObject): JsonObject[] {
  return objectsIn(Array.isArray(message.files) ? message.files : [message.file ?? null])
}

function filesOf(
  message: JsonObject,
  blobs: ReadonlyMap<string, { blob_id: string; size_bytes: number }>,
): JsonObject[] {
  return rawFilesOf(message).map(file => {
    const id = text(file.id)
    const blob = id === null ? undefined : blobs.get(id)
    const size = typeof file.size === 'number' && Number.isInteger(file.size) ? file.size : null
    return {
      file_id: id,
      name: text(file.name),
      title: text(file.title),
      mime_type: text(file.mimetype),
      size_bytes: blob?.size_bytes ?? size,
      url: withoutToken(text(file.permalink) ?? text(file.url_private) ?? text(file.url)),
      text: previewOf(file) ?? text(file.plain_text),
      ...(blob ? { blob_id: blob.blob_id } : {}),
    }
  })
}

/** The beginning of a file. That of a canvas or a post is HTML. */
function previewOf({ mode, preview }: JsonObject): string | null {
  const written = text(preview)
  return written !== null && (mode === 'quip' || mode === 'space') ? text(textOfHtml(written)) : written
}

/** The links of an export contain a token that opens every file of the workspace until it expires. */
function withoutToken(url: string | null): string | null {
  if (url === null) return null
  return url.replace(/([?&])t=xox[^&#]*&?/g, '$1').replace(/[?&]$/, '')
}
