import { declareSource } from '../declare.ts'
import { postStream } from '../post/post-stream.ts'

export const MASTODON = declareSource('mastodon', 'Mastodon', [
  postStream('mastodon_posts', {
    label: 'Your posts on Mastodon',
    detail: 'Your posts, replies and boosts, with their times, tags and pictures.',
  }),
])
