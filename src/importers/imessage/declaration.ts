import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'
import { FLAG, TEXT } from '../field-types.ts'

export const IMESSAGE = declareSource('imessage', 'iMessage and SMS', [
  chatStream(
    'imessage_messages',
    {
      label: 'Your messages of the Messages app',
      detail:
        'Who wrote what in which chat and when (iMessage, SMS and RCS), with reactions and attachments.',
    },
    { subject: TEXT, service: TEXT, is_from_me: FLAG },
    { is_from_me: true },
  ),
])
