import { chatStream } from '../chat/chat-stream.ts'
import { TEXT } from '../field-types.ts'
import { declareSource } from '../own-source.ts'

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
