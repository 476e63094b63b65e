import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'
import { postStream } from '../post/post-stream.ts'

export const X = declareSource('x', 'X (Twitter)', [
  postStream('x_posts', {
    label: 'Your posts on X',
    detail: 'Your posts, replies, reposts and likes, with their times, links and pictures.',
  }),
  chatStream({
    name: 'x_direct_messages',
    label: 'Your direct messages on X',
    detail: 'Who wrote what to whom and when.',
  }),
  chatStream({
    name: 'x_grok_messages',
    label: 'What you and Grok wrote',
    detail: 'Every message with its time and conversation.',
    own: { sender: 'user' },
  }),
])
