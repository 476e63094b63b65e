import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'
import { FLAG, TEXT } from '../field-types.ts'

export const SMS_BACKUP = declareSource('sms-backup', 'SMS', [
  chatStream(
    'sms_messages',
    {
      label: 'Your SMS and MMS messages',
      detail: 'Who wrote what to whom and when, with pictures and files.',
    },
    { subject: TEXT, is_from_me: FLAG },
    { is_from_me: true },
  ),
])
