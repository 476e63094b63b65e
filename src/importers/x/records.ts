import { type JsonObject, objectsIn } from '../../model/json.ts'
import { chatRecord, reactionsIn } from '../chat/chat-stream.ts'
import { rejection } from '../events.ts'
import type { ImportEvent } from '../importer.ts'
import { postRecord } from '../post/post-stream.ts'
import { nameIn, storedFiles } from '../reading/attached-files.ts'
import { idIn, instantIn, objectIn, textIn, textsIn, unescaped } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { parseWrittenTime } from '../written-time.ts'
import type { LongPosts } from './long-posts.ts'

export interface XAccount {
  id: string | null
  name: string | null
}

export async function* tweetEvents(
  item: JsonObject,
  account: XAccount,
  place: string,
  media: ReadonlyMap<string, SourceFile>,
  longPosts: LongPosts,
): AsyncGenerator<ImportEvent> {
  const tweet = 'tweet' in item ? objectIn(item.tweet) : item
  const sourceId = idIn(tweet.id_str) ?? idIn(tweet.id)
  if (sourceId === null) {
    yield rejection(place, { code: 'no_id', message: 'The post has no id.' })
    return
  }
  const entities = objectIn(tweet.entities)
  const shown = [...objectsIn(objectIn(tweet.extended_entities).media), ...objectsIn(entities.media)]
  const posted_at = parseWrittenTime(textIn(tweet.created_at) ?? '', null)?.utc ?? null
  const written = textIn(tweet.full_text) ?? textIn(tweet.text) ?? ''
  const long = longPosts(unescaped(written), posted_at)
  const urls = [...objectsIn(entities.urls), ...(long?.urls ?? [])]
  const shownAt = new Set(shown.flatMap(({ media_url_https }) => textIn(media_url_https) ?? []))
  const attachments = yield* storedFiles(
    [...shownAt].map(url => [media.get(`${sourceId}-${nameIn(url)}`), { name: nameIn(url), url }]),
  )
  const text = expanded(long?.text ?? written, urls)
  const reply_to = idIn(tweet.in_reply_to_status_id_str) ?? idIn(tweet.in_reply_to_status_id)
  yield postRecord('x_posts', place, {
    id: recordIdOf('x post', sourceId),
    kind: /^RT @/.test(text) ? 'repost' : reply_to === null ? 'post' : 'reply',
    text: textIn(text),
    author: account.name,
    posted_at,
    reply_to,
    mentions: objectsIn(entities.user_mentions).flatMap(({ screen_name }) => textIn(screen_name) ?? []),
    hashtags: objectsIn(entities.hashtags).flatMap(tag => textIn(tag.text) ?? []),
    links: urls.flatMap(({ expanded_url }) => textIn(expanded_url) ?? []),
    url: account.name === null ? null : `https://x.com/${account.name}/status/${sourceId}`,
    attachments,
    source_id: sourceId,
  })
}

/** Replaces `https://t.co/…` by the address it leads to, and `&amp;` by `&`. */
function expanded(text: string, urls: readonly JsonObject[]): string {
  let plain = text
  for (const { url, expanded_url } of urls) {
    if (textIn(url) !== null && textIn(expanded_url) !== null)
      plain = plain.replaceAll(String(url), () => String(expanded_url))
  }
  return unescaped(plain)
}

export function* likeEvents(like: JsonObject, place: string): Generator<ImportEvent> {
  const sourceId = idIn(like.tweetId)
  if (sourceId === null) {
    yield rejection(place, { code: 'no_id', message: 'The like has no post id.' })
    return
  }
  const id = recordIdOf('x like', sourceId)
  const text = textIn(expanded(textIn(like.fullText) ?? '', []))
  const url = textIn(like.expandedUrl)
  yield postRecord('x_posts', place, { id, kind: 'like', text, posted_at: null, url, source_id: sourceId })
}

export function* conversationEvents(
  conversation: JsonObject,
  account: XAccount,
  place: string,
): Generator<ImportEvent> {
  const conversationId = idIn(conversation.conversationId) ?? 'conversation'
  const messages = objectsIn(conversation.messages)
  const chat =
    groupName(messages) ?? `Conversation with ${peopleIn(conversationId, messages, account).join(', ')}`
  const nameOf = (id: string | null) => (id !== null && id === account.id ? (account.name ?? id) : id)
  for (const [index, entry] of messages.entries()) {
    const message = objectIn(entry.messageCreate)
    const sourceId = idIn(message.id)
    // Joining, leaving and renaming have no text.
    if (sourceId === null) continue
    yield chatRecord('x_direct_messages', `${place}, message ${index + 1}`, {
      id: recordIdOf('x message', conversationId, sourceId),
      chat,
      chat_id: recordIdOf('x conversation', conversationId),
      sender: nameOf(idIn(message.senderId)),
      sender_id: idIn(message.senderId),
      text: textIn(
        expanded(
          textIn(message.text) ?? '',
          objectsIn(message.urls).map(({ url, expanded: expanded_url }) => ({
            url: url ?? null,
            expanded_url: expanded_url ?? null,
          })),
        ),
      ),
      sent_at: instantIn(message.createdAt),
      position: 1,
      kind: 'message',
      reactions: reactionsIn(message.reactions, 'reactionKey', ({ senderId }) => nameOf(idIn(senderId))),
      attachments: textsIn(message.mediaUrls).map(url => ({ name: nameIn(url), url })),
      source_id: sourceId,
    })
  }
}

/** The latest name of a group; the newest entry comes first. */
function groupName(messages: readonly JsonObject[]): string | null {
  const names = messages.flatMap(({ conversationNameUpdate }) => {
    const { name, createdAt } = objectIn(conversationNameUpdate)
    return textIn(name) === null ? [] : [{ name: String(name), at: instantIn(createdAt) ?? '' }]
  })
  return names.sort((a, b) => (a.at < b.at ? 1 : -1))[0]?.name ?? null
}

/** The other people: the id of a conversation of two names both, and that of a group names nobody. */
function peopleIn(conversationId: string, messages: readonly JsonObject[], account: XAccount): string[] {
  const ids = conversationId.includes('-')
    ? conversationId.split('-')
    : messages.flatMap(entry => [
        ...textsIn(objectIn(entry.joinConversation).participantsSnapshot),
        ...[idIn(objectIn(entry.messageCreate).senderId)].filter(id => id !== null),
      ])
  const others = [...new Set(ids)].filter(id => id !== account.id)
  return others.length === 0 ? [conversationId] : others
}

/** A message of a conversation with Grok. It has no id, so its conversation, time and sender identify it. */
export function* grokEvents(item: JsonObject, place: string): Generator<ImportEvent> {
  const conversationId = idIn(item.chatId) ?? 'conversation'
  const sender = textIn(objectIn(item.sender).name) === 'User' ? 'user' : 'assistant'
  const sent_at = instantIn(item.createdAt)
  const text = textIn(item.message)
  yield chatRecord('x_grok_messages', place, {
    id: recordIdOf('grok message', conversationId, sent_at ?? '', sender, text ?? ''),
    chat: 'Grok',
    chat_id: recordIdOf('grok conversation', conversationId),
    sender,
    text,
    sent_at,
    position: sender === 'user' ? 1 : 2,
    kind: 'message',
  })
}
