import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'
import { TEXT } from '../field-types.ts'

export const SIGNAL = declareSource('signal', 'Signal', [
  chatStream(
    'signal_messages',
    {
      label: 'Your Signal messages',
      detail: 'Who wrote what in which chat and when, with reactions and the files that the export includes.',
    },
    { quote: TEXT },
  ),
])
