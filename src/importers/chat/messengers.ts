import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource } from '../declare.ts'
import * as f from '../fields.ts'
import { type ChatStream, chatStream } from './chat-stream.ts'

/** A source with a single stream of messages. */
function messenger(key: string, name: string, stream: Omit<ChatStream, 'name'>): Declaration {
  const prefix = key.replace('-backup', '').replaceAll('-', '_')
  return declareSource(key, name, [chatStream({ name: `${prefix}_messages`, ...stream })])
}

export const DEEPSEEK = messenger('deepseek', 'DeepSeek', {
  label: 'What you and DeepSeek wrote',
  detail: 'Every message with its time, model and conversation, answers that were replaced included.',
  more: { thinking: f.MARKDOWN, model: f.TEXT },
  own: { sender: 'user' },
})

export const DISCORD = messenger('discord', 'Discord', {
  label: 'Your Discord messages',
  detail: 'Who wrote what in which channel and when, with reactions and links to files.',
  more: { server: f.PLACE },
})

export const GOOGLE_CHAT = messenger('google-chat', 'Google Chat', {
  label: 'Your Google Chat messages',
  detail: 'Who wrote what in which chat or space and when, with reactions and files.',
  more: { topic_id: f.TEXT },
})

export const IMESSAGE = messenger('imessage', 'iMessage and SMS', {
  label: 'Your messages of the Messages app',
  detail: 'Who wrote what in which chat and when (iMessage, SMS and RCS), with reactions and attachments.',
  more: { subject: f.TEXT, service: f.TEXT, is_from_me: f.FLAG },
  own: { is_from_me: true },
})

export const KAKAOTALK = messenger('kakaotalk', 'KakaoTalk', {
  label: 'Your KakaoTalk messages',
  detail: 'Who wrote what in which chat and when, with the files that the export includes.',
})

/** Not `line` alone, which is a word of many questions. */
export const LINE = messenger('line-chat', 'LINE', {
  label: 'Your LINE messages',
  detail: 'Who wrote what in which chat and when.',
})

export const SIGNAL = messenger('signal', 'Signal', {
  label: 'Your Signal messages',
  detail: 'Who wrote what in which chat and when, with reactions and the files that the export includes.',
  more: { quote: f.TEXT },
})

export const SKYPE = messenger('skype', 'Skype', {
  label: 'Your Skype messages',
  detail: 'Who wrote what in which chat and when, with calls and the files that the export includes.',
})

export const SMS_BACKUP = messenger('sms-backup', 'SMS', {
  label: 'Your SMS and MMS messages',
  detail: 'Who wrote what to whom and when, with pictures and files.',
  more: { subject: f.TEXT, is_from_me: f.FLAG },
  own: { is_from_me: true },
})

export const TELEGRAM = messenger('telegram', 'Telegram', {
  label: 'Your Telegram messages',
  detail: 'Who wrote what in which chat and when, with reactions and the files that the export includes.',
  more: { forwarded_from: f.TEXT, chat_kind: f.TEXT },
})

export const WHATSAPP = messenger('whatsapp', 'WhatsApp', {
  label: 'Your WhatsApp messages',
  detail: 'Who wrote what in which chat and when, with the files that the export includes.',
})
