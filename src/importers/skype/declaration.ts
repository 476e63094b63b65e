import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'

export const SKYPE = declareSource('skype', 'Skype', [
  chatStream('skype_messages', {
    label: 'Your Skype messages',
    detail: 'Who wrote what in which chat and when, with calls and the files that the export includes.',
  }),
])
