import type { JsonObject } from '../../model/json.ts'
import { chatRecord } from '../chat/chat-message.ts'
import type { ImportEvent } from '../importer.ts'
import { postRecord } from '../post/post-stream.ts'
import { storedFile } from '../reading/attached-files.ts'
import { idIn, instantIn, objectIn, objectsIn, textIn, textsIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { parseWrittenTime } from '../written-time.ts'

export interface XAccount {
  id: string | null
  name: string | null
}

export async function* tweetEvents(
  item: JsonObject,
  account: XAccount,
  place: string,
  media: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent> {
  const tweet = 'tweet' in item ? objectIn(item.tweet) : item
  const sourceId = idIn(tweet.id_str) ?? idIn(tweet.id)
  if (sourceId === null) {
    yield { kind: 'rejection', place, code: 'no_id', message: 'The post has no id.' }
    return
  }
  const entities = objectIn(tweet.entities)
  const shown = [...objectsIn(objectIn(tweet.extended_entities).media), ...objectsIn(entities.media)]
  const urls = objectsIn(entities.urls)
  const attachments: JsonObject[] = []
  for (const url of new Set(shown.flatMap(({ media_url_https }) => textIn(media_url_https) ?? []))) {
    const name = url.slice(url.lastIndexOf('/') + 1)
    const file = media.get(`${sourceId}-${name}`)
    const stored = file ? yield* storedFile(file, name) : null
    attachments.push(stored ?? { name, url })
  }
  const text = expanded(textIn(tweet.full_text) ?? textIn(tweet.text) ?? '', urls)
  const reply_to = idIn(tweet.in_reply_to_status_id_str) ?? idIn(tweet.in_reply_to_status_id)
  yield postRecord(
    'x_posts',
    {
      id: recordIdOf('x post', sourceId),
      kind: /^RT @/.test(text) ? 'repost' : reply_to === null ? 'post' : 'reply',
      text: textIn(text),
      author: account.name,
      posted_at: parseWrittenTime(textIn(tweet.created_at) ?? '', null)?.utc ?? null,
      reply_to,
      mentions: objectsIn(entities.user_mentions).flatMap(({ screen_name }) => textIn(screen_name) ?? []),
      hashtags: objectsIn(entities.hashtags).flatMap(tag => textIn(tag.text) ?? []),
      links: urls.flatMap(({ expanded_url }) => textIn(expanded_url) ?? []),
      url: account.name === null ? null : `https://x.com/${account.name}/status/${sourceId}`,
      attachments,
      source_id: sourceId,
    },
    place,
  )
}

/** Replaces `https://t.co/…` by the address it leads to, and `&amp;` by `&`. */
function expanded(text: string, urls: readonly JsonObject[]): string {
  let plain = text
  for (const { url, expanded_url } of urls) {
    if (textIn(url) !== null && textIn(expanded_url) !== null)
      plain = plain.replaceAll(String(url), () => String(expanded_url))
  }
  return plain.replace(/&(lt|gt|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&' })[name] ?? '')
}

export function* likeEvents(like: JsonObject, place: string): Generator<ImportEvent> {
  const sourceId = idIn(like.tweetId)
  if (sourceId === null) {
    yield { kind: 'rejection', place, code: 'no_id', message: 'The like has no post id.' }
    return
  }
  const id = recordIdOf('x like', sourceId)
  const text = textIn(expanded(textIn(like.fullText) ?? '', []))
  const url = textIn(like.expandedUrl)
  yield postRecord('x_posts', { id, kind: 'like', text, posted_at: null, url, source_id: sourceId }, place)
}

export function* conversationEvents(
  conversation: JsonObject,
  account: XAccount,
  place: string,
): Generator<ImportEvent> {
  const conversationId = idIn(conversation.conversationId) ?? 'conversation'
  const people = conversationId.split('-').filter(id => id !== account.id)
  const nameOf = (id: string | null) => (id !== null && id === account.id ? (account.name ?? id) : id)
  for (const [index, entry] of objectsIn(conversation.messages).entries()) {
    const message = objectIn(entry.messageCreate)
    const sourceId = idIn(message.id)
    // Joining, leaving and renaming have no text.
    if (sourceId === null) continue
    yield chatRecord(
      'x_direct_messages',
      {
        id: recordIdOf('x message', conversationId, sourceId),
        chat: `Conversation with ${people.join(', ')}`,
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
        attachments: textsIn(message.mediaUrls).map(url => ({
          name: url.slice(url.lastIndexOf('/') + 1),
          url,
        })),
        source_id: sourceId,
      },
      `${place}, message ${index + 1}`,
    )
  }
}
