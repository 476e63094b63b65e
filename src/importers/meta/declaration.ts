import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'
import * as f from '../fields.ts'
import { postStream } from '../post/post-stream.ts'

export const META = declareSource('meta', 'Facebook and Instagram', [
  chatStream({
    name: 'meta_messages',
    label: 'Your Messenger and Instagram messages',
    detail: 'Who wrote what in which chat and when, with reactions, pictures and files.',
    more: { participants: f.PEOPLE },
  }),
  postStream('meta_posts', {
    label: 'Your posts on Facebook and Instagram',
    detail: 'What you posted and when, with pictures and links.',
  }),
])
