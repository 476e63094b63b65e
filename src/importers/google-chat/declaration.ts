import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'
import { TEXT } from '../field-types.ts'

export const GOOGLE_CHAT = declareSource('google-chat', 'Google Chat', [
  chatStream(
    'google_chat_messages',
    {
      label: 'Your Google Chat messages',
      detail: 'Who wrote what in which chat or space and when, with reactions and files.',
    },
    { topic_id: TEXT },
  ),
])
