import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'
import { TEXT } from '../field-types.ts'

export const TELEGRAM = declareSource('telegram', 'Telegram', [
  chatStream(
    'telegram_messages',
    {
      label: 'Your Telegram messages',
      detail: 'Who wrote what in which chat and when, with reactions and the files that the export includes.',
    },
    { forwarded_from: TEXT, chat_kind: TEXT },
  ),
])
