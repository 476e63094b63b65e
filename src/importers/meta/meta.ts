import type { Importer } from '../importer.ts'
import { filesWith, findingOf } from '../reading/exported-files.ts'
import { readFileItems } from '../reading/file-items.ts'
import { META } from './declaration.ts'
import type { FindMedia } from './find-media.ts'
import { threadItems } from './messages.ts'
import { postItems } from './posts.ts'

export const meta: Importer = {
  format: 'facebook-instagram',
  label: 'Facebook or Instagram export',
  stage: 'export',
  async recognise(source) {
    const threads = await filesWith(
      source.files,
      /\.json$/i,
      head => /^\s*\{/.test(head) && /"sender_name"\s*:/.test(head) && /"timestamp_ms"\s*:/.test(head),
    )
    const posts = await filesWith(
      source.files,
      /(?:^|\/)(?:your_posts(?:__check_ins__photos_and_videos)?_\d+|posts_\d+|reels|stories)\.json$/i,
      head => /^\s*[[{]/.test(head) && /"(?:timestamp|creation_timestamp)"\s*:/.test(head),
    )
    const read = [...threads, ...posts]
    if (read.length === 0) return null
    const endings = new Map(source.files.map(file => [ending(file.path), file]))
    const find: FindMedia = uri => (typeof uri === 'string' ? endings.get(ending(uri)) : undefined)
    return findingOf(
      META,
      read,
      250,
      from =>
        readFileItems(read, from, file =>
          threads.includes(file) ? threadItems(file, find) : postItems(file, find),
        ),
      source.files.filter(({ path }) => /\/(?:photos|videos|audio|files|gifs|media)\//.test(path)),
    )
  },
}

/** The export writes paths from its root, which may be below the root of the source. */
function ending(path: string): string {
  return path.split('/').slice(-3).join('/')
}
