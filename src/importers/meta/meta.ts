import type { Recognise } from '../importer.ts'
import { folderIn } from '../reading/attached-files.ts'
import { filesWith, findingOf } from '../reading/exported-files.ts'
import type { SourceFile } from '../source/source.ts'
import { META } from './declaration.ts'
import { type FindMedia, threadItems } from './messages.ts'
import { postItems } from './posts.ts'

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
