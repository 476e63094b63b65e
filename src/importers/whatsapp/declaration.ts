import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'

export const WHATSAPP = declareSource('whatsapp', 'WhatsApp', [
  chatStream('whatsapp_messages', {
    label: 'Your WhatsApp messages',
    detail: 'Who wrote what in which chat and when, with the files that the export includes.',
  }),
])
