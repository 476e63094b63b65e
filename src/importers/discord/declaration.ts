import { chatStream } from '../chat/chat-stream.ts'
import { declareSource } from '../declare.ts'
import { PLACE } from '../field-types.ts'

export const DISCORD = declareSource('discord', 'Discord', [
  chatStream(
    'discord_messages',
    {
      label: 'Your Discord messages',
      detail: 'Who wrote what in which channel and when, with reactions and links to files.',
    },
    { server: PLACE },
  ),
])
