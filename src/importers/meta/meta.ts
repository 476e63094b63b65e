import { type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { postRecord } from '../post/post-stream.ts'
import { folderIn, nameIn, storedFiles } from '../reading/attached-files.ts'
import { type FileItem, filesWith, findingOf } from '../reading/exported-files.ts'
import { headText } from '../reading/head.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { epochIn, objectIn, textIn, writtenIn } from '../reading/json-values.ts'
import { repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { META } from './declaration.ts'
import { type FindMedia, mendedAll, threadItems } from './messages.ts'

export const recognise: Recognise = async (signed, source) => {
  const threads = await filesWith(
    signed,
    /\.json$/i,
    head =>
      /^\s*\{/.test(head) &&
      ((/"sender_name"\s*:/.test(head) && /"timestamp_ms"\s*:/.test(head)) ||
        (/"senderName"\s*:/.test(head) && /"isUnsent"\s*:/.test(head))),
  )
  const posts = await filesWith(
    signed,
    POSTS,
    head => /^\s*[[{]/.test(head) && /"(?:timestamp|creation_timestamp)"\s*:/.test(head),
  )
  const read = [...threads, ...posts]
  if (read.length === 0) return null
  const roots = new Set(source.files.flatMap(({ path }) => ROOT.exec(path)?.[1] ?? []))
  const beside = new Set(threads.map(({ path }) => `${folderIn(path)}media/`))
  const isOther = (path: string) =>
    beside.has(folderIn(path)) ||
    [...roots].some(root => path.startsWith(root) && OTHERS.test(path.slice(root.length)))
  const endings = new Map(
    source.files.flatMap(file => [
      [ending(file.path, 2), file],
      [ending(file.path, 3), file],
    ]),
  )
  const find: FindMedia = uri =>
    typeof uri === 'string' ? endings.get(ending(uri.replace(/^\.\//, ''), 3)) : undefined
  const itemsOf = (file: SourceFile) =>
    threads.includes(file) ? threadItems(file, find) : postItems(file, find)
  return findingOf(META, read, 250, () => itemsOf, {
    beside: source.files.filter(({ path }) => MEDIA.test(path) || isOther(path)),
  })
}

const POSTS =
  /(?:^|\/)(?:your_posts(?:__check_ins__photos_and_videos)?_\d+|posts_\d+|archived_posts|reels|stories|threads_and_replies|post_comments_\d+|reels_comments|comments_and_reactions\/comments|group_posts_and_comments|your_comments_in_groups)\.json$/i
const MEDIA = /\/(?:photos|videos|audio|files|gifs|media)\//
const ROOT = /^((?:.*\/)?)your_(?:facebook|instagram)_activity\//
/** What these exports contain besides messages, posts and comments: pictures, likes, settings, devices, advertising. */
const OTHERS =
  /^(?:media|your_(?:facebook|instagram)_activity|personal_information|connections|logged_information|preferences|security_and_login_information|ads_information|apps_and_websites_off_of_(?:facebook|instagram))\//

/** The export writes paths from its root, which may be below the root of the source. */
function ending(path: string, parts: number): string {
  return path.split('/').slice(-parts).join('/')
}

/** The posts of a file: a list at the root, or under a key, as Instagram writes reels and stories. */
async function* postItems(file: SourceFile, find: FindMedia): AsyncGenerator<FileItem> {
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
