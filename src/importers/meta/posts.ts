import { type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import type { ImportEvent } from '../importer.ts'
import { postRecord } from '../post/post-stream.ts'
import { nameIn, storedFiles } from '../reading/attached-files.ts'
import type { FileItem } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { epochIn, objectIn, textIn, writtenIn } from '../reading/json-values.ts'
import { repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { type FindMedia, mendedAll } from './messages.ts'

/** The posts of a file: a list at the root, or under a key, as Instagram writes reels and stories. */
export async function* postItems(file: SourceFile, find: FindMedia): AsyncGenerator<FileItem> {
  const key = /^\s*\{\s*"([^"]+)"\s*:\s*\[/.exec(await headText(file))?.[1]
  const idOf = repeatedIds('meta post')
  yield* objectItems(listedObjects(file, 'post', key === undefined ? [] : [key]), (value, { place }) => {
    const post = mendedAll(value)
    const text = textOf(post)
    const { id } = idOf(writtenIn(timeOf(post)), text ?? '')
    return postEvents(post, id, text, place, find)
  })
}

async function* postEvents(
  post: JsonObject,
  id: string,
  text: string | null,
  place: string,
  find: FindMedia,
): AsyncGenerator<ImportEvent> {
  // A post of Threads has its text as the title of a picture without a file.
  const uris = mediaOf(post).flatMap(({ uri }) => textIn(uri) ?? [])
  const attachments = yield* storedFiles(uris.map(uri => [find(uri), { name: nameIn(uri) }]))
  const links = attachedData(post).flatMap(
    ({ external_context }) => textIn(objectIn(external_context).url) ?? [],
  )
  yield postRecord('meta_posts', place, {
    id,
    kind: commentsIn(post).length > 0 ? 'comment' : 'post',
    title: textIn(post.title),
    text,
    posted_at: epochIn(timeOf(post), 'seconds'),
    links,
    attachments,
    source_id: null,
  })
}

function timeOf(post: JsonObject): Json | undefined {
  const facts = Object.values(objectIn(post.string_map_data)).map(objectIn)
  return (
    post.timestamp ??
    post.creation_timestamp ??
    mediaOf(post)[0]?.creation_timestamp ??
    facts.find(({ timestamp }) => timestamp !== undefined)?.timestamp
  )
}

/** What the owner wrote below a post. Instagram names the facts of a comment in the owner's language; the text is first. */
function commentsIn(post: JsonObject): string[] {
  const onFacebook = objectsIn(post.data).flatMap(({ comment }) => textIn(objectIn(comment).comment) ?? [])
  const [first] = Object.values(objectIn(post.string_map_data))
  const onInstagram = textIn(objectIn(first).value)
  return onInstagram === null ? onFacebook : [...onFacebook, onInstagram]
}

/** The text of a post, or the caption of its first picture. */
function textOf(post: JsonObject): string | null {
  const posted = objectsIn(post.data).flatMap(item => textIn(item.post) ?? [])
  const words = [...posted, ...commentsIn(post)]
  const below = mediaOf(post).flatMap(item => textIn(item.description) ?? textIn(item.title) ?? [])
  return textIn([...new Set([...words, ...(words.length === 0 ? below : [])])].join('\n'))
}

function attachedData(post: JsonObject): JsonObject[] {
  return objectsIn(post.attachments).flatMap(({ data }) => objectsIn(data))
}

function mediaOf(post: JsonObject): JsonObject[] {
  const attached = attachedData(post).flatMap(({ media }) => objectsIn([objectIn(media)]))
  const own = [...objectsIn(post.media), ...('uri' in post ? [post] : [])]
  return [...attached, ...own].filter(({ uri }) => typeof uri === 'string')
}
