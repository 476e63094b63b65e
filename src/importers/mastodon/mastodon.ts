import { type JsonObject, objectsIn } from '../../model/json.ts'
import { rejection } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { postRecord } from '../post/post-stream.ts'
import { folderIn, nameIn, storedFile } from '../reading/attached-files.ts'
import { filesBelow, findingOf } from '../reading/exported-files.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { instantIn, integerIn, linesIn, objectIn, textIn } from '../reading/json-values.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { MASTODON } from './declaration.ts'

export const recognise: Recognise = async (outboxes, source) => {
  const byPath = new Map(source.files.map(file => [file.path, file]))
  const itemsOf = (file: SourceFile) =>
    objectItems(listedObjects(file, 'item', ['orderedItems']), (value, { place }) =>
      activityEvents(value, place, folderIn(file.path), byPath),
    )
  const roots = outboxes.map(({ path }) => folderIn(path))
  return findingOf(MASTODON, outboxes, 1500, () => itemsOf, {
    beside: filesBelow(roots, BESIDE, source.files),
  })
}

const BESIDE = /^(media_attachments\/|(actor|likes|bookmarks)\.json$|avatar|header)/

async function* activityEvents(
  activity: JsonObject,
  place: string,
  root: string,
  byPath: ReadonlyMap<string, SourceFile>,
): AsyncGenerator<ImportEvent> {
  const sourceId = textIn(activity.id)
  if (sourceId === null) {
    yield rejection(place, { code: 'no_id', message: 'The post has no id.' })
    return
  }
  const post = objectIn(activity.object)
  const boosted = textIn(activity.object)
  const html = textIn(post.content) ?? textIn(Object.values(objectIn(post.contentMap))[0]) ?? ''
  const attachments: JsonObject[] = []
  for (const { url, mediaType, name } of objectsIn(post.attachment)) {
    const path = textIn(url)
    if (path === null) continue
    const file = byPath.get(root + path.replace(/^\/+/, ''))
    const stored = yield* storedFile(file, nameIn(path), textIn(mediaType))
    attachments.push({
      ...(stored ?? { name: nameIn(path), mime_type: textIn(mediaType) }),
      text: textIn(name),
    })
  }
  const tags = objectsIn(post.tag)
  const named = (type: string) =>
    tags.filter(tag => tag.type === type).flatMap(({ name }) => textIn(name) ?? [])
  const reply_to = textIn(post.inReplyTo)
  const options = [...objectsIn(post.oneOf), ...objectsIn(post.anyOf)].map(
    ({ name, replies }) => `• ${textIn(name)}: ${integerIn(objectIn(replies).totalItems) ?? 0}`,
  )
  yield postRecord('mastodon_posts', place, {
    id: recordIdOf('mastodon activity', sourceId),
    kind: boosted !== null ? 'repost' : reply_to === null ? 'post' : 'reply',
    title: textIn(post.summary),
    text: linesIn(textOfHtml(html.replace(LINK, link => (OWN_LINK.test(link) ? '' : link))), ...options),
    author: textIn(activity.actor),
    posted_at: instantIn(post.published) ?? instantIn(activity.published),
    reply_to,
    mentions: named('Mention'),
    hashtags: named('Hashtag').map(tag => tag.replace(/^#/, '')),
    links: boosted === null ? linksIn(html) : [boosted],
    url: textIn(post.url) ?? boosted,
    attachments,
    source_id: sourceId,
  })
}

const LINK = /<a\b[^<>]*>/g
/** A mention or a hashtag. Its address is on the owner's server and says nothing more. */
const OWN_LINK = /class="[^"]*(?:mention|hashtag)/

/** The addresses that a post links to, except for mentions and hashtags. */
function linksIn(html: string): string[] {
  const links = (html.match(LINK) ?? []).filter(link => !OWN_LINK.test(link))
  return [...new Set(links.flatMap(link => /href="(https?:[^"]+)"/.exec(link)?.[1] ?? []))]
}
