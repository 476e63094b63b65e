import { type JsonObject, objectsIn } from '../../model/json.ts'
import { listedObjects } from '../reading/json-objects.ts'
import { instantIn, objectIn, textIn } from '../reading/json-values.ts'
import type { SourceFile } from '../source/source.ts'

/** The whole text of a long post; null if the post is not one. */
export type LongPosts = (beginning: string, posted_at: string | null) => LongPost | null

interface LongPost {
  text: string
  /** As a post lists its addresses. */
  urls: JsonObject[]
  posted_at: string | null
}

const KEY_CHARS = 60
const CUT_OFF = /…(?:\s*https:\/\/t\.co\/\w+)?$/
/** Both times are written when the post is sent. */
const MOST_APART_MS = 60_000

/**
 * The list of posts has only the beginning of a long one. The archive has the whole under another id, so the text and
 * the time decide.
 */
export async function longPostsIn(files: readonly SourceFile[]): Promise<LongPosts> {
  const found = new Map<string, LongPost[]>()
  for (const file of files) {
    for await (const { value } of listedObjects(file, 'item')) {
      const note = objectIn(value?.noteTweet)
      const core = objectIn(note.core)
      const text = textIn(core.text)
      if (text === null) continue
      const urls = objectsIn(core.urls).map(({ shortUrl, url, expandedUrl }) => ({
        url: textIn(shortUrl) ?? textIn(url),
        expanded_url: textIn(expandedUrl),
      }))
      const key = text.slice(0, KEY_CHARS)
      found.set(key, [...(found.get(key) ?? []), { text, urls, posted_at: instantIn(note.createdAt) }])
    }
  }
  return (written, posted_at) => {
    if (!CUT_OFF.test(written)) return null
    const beginning = written.replace(CUT_OFF, '').trimEnd()
    const isSame = (note: LongPost) =>
      note.text.startsWith(beginning) && Math.abs(timeIn(note.posted_at) - timeIn(posted_at)) <= MOST_APART_MS
    return found.get(beginning.slice(0, KEY_CHARS))?.find(isSame) ?? null
  }
}

function timeIn(time: string | null): number {
  return time === null ? Number.NaN : Date.parse(time)
}
