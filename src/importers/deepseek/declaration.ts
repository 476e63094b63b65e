import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'
import { TEXT } from '../field-types.ts'

export const DEEPSEEK = declareSource('deepseek', 'DeepSeek', [
  chatStream(
    'deepseek_messages',
    {
      label: 'What you and DeepSeek wrote',
      detail: 'Every message with its time, model and conversation, answers that were replaced included.',
    },
    { thinking: { ...TEXT, contentMediaType: 'text/markdown' }, model: TEXT },
    { sender: 'user' },
  ),
])
