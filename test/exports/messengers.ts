import {
  chats,
  inChat,
  iso,
  lines,
  type MadeExport,
  millis,
  PER_CHAT,
  stamp,
  upTo,
  words,
} from './made-export.ts'
import { appleTime, messageDatabase } from './message-database.ts'

export const MESSENGERS: MadeExport[] = [
  {
    format: 'slack',
    isZip: true,
    of: items => ({
      'users.json': [{ id: 'U1', name: 'ada', profile: { real_name: 'Ada' } }],
      'channels.json': [{ id: 'C1', name: 'general', members: ['U1'] }],
      ...Object.fromEntries(
        upTo(chats(items), day => [
          `general/${new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)}.json`,
          [
            ...inChat(items, day).map(i => ({
              type: 'message',
              user: 'U1',
              ts: `${millis(0) / 1000 + day * 86_400 + (i % PER_CHAT)}.000100`,
              text: words(i),
            })),
            ...(day === 0 ? [{ type: 'message', ts: 7 }] : []),
          ],
        ]),
      ),
    }),
    records: items => items + 2,
    rejected: 1,
  },
  {
    format: 'google-chat',
    of: items => ({
      'Google Chat/Groups/DM 1/group_info.json': { members: [{ name: 'Ada' }, { name: 'Ben' }] },
      'Google Chat/Groups/DM 1/messages.json': {
        messages: upTo(items, i => ({
          creator: { name: 'Ada', email: 'ada@example.org' },
          created_date: iso(i),
          text: words(i),
          message_id: `1/${i}`,
        })),
      },
    }),
  },
  {
    format: 'skype',
    of: items => ({
      'messages.json': {
        userId: '8:ada',
        conversations: upTo(chats(items), chat => ({
          id: `8:ben${chat}`,
          displayName: `Ben ${chat}`,
          MessageList: inChat(items, chat)
            .toReversed()
            .map(i => ({
              id: String(i),
              originalarrivaltime: iso(i),
              messagetype: 'RichText',
              content: words(i),
              from: '8:ada',
            })),
        })),
      },
    }),
  },
  {
    format: 'whatsapp',
    of: items => ({
      'WhatsApp Chat with Ben.txt': upTo(items, i => {
        const [day, time] = stamp(i).split('T')
        return `${day?.split('-').reverse().join('.')}, ${time?.slice(0, 5)} - Ada: ${words(i)}\n`
      }).join(''),
    }),
  },
  {
    format: 'kakaotalk',
    of: items => ({
      'KakaoTalk.txt': `Ben with KakaoTalk Chats\n${upTo(items, i => {
        const [day = '', time] = stamp(i).split('T')
        const [year, month, date] = day.split('-')
        return `${year}. ${month}. ${date}. ${time?.slice(0, 5)}, Ada : ${words(i)}\n`
      }).join('')}`,
    }),
  },
  {
    format: 'line',
    of: items => ({
      'LINE.txt': `[LINE] Chat history with Ben\n${upTo(items, i => {
        const [day, time] = stamp(i).split('T')
        return `${day?.replaceAll('-', '/')}(月)\n${time?.slice(0, 5)}\tAda\t${words(i)}\n`
      }).join('')}`,
    }),
  },
  {
    format: 'telegram',
    layout: 'JSON',
    of: items => ({
      'result.json': {
        name: 'Ben',
        type: 'personal_chat',
        id: 4321,
        messages: upTo(items, i => ({
          id: i + 1,
          type: 'message',
          date: stamp(i),
          date_unixtime: String(millis(i) / 1000),
          from: 'Ada',
          text: words(i),
        })),
      },
    }),
  },
  {
    format: 'telegram',
    layout: 'HTML',
    of: items => ({
      'messages.html': `<html><head><title>Exported Data</title></head><body><div class="page_header"><div class="text bold">Ben</div></div><div class="history">${upTo(
        items,
        i => {
          const [day = '', time] = stamp(i).split('T')
          return (
            `<div class="message default clearfix" id="message${i + 1}"><div class="body">` +
            `<div class="pull_right date details" title="${day.split('-').reverse().join('.')} ${time} UTC+00:00"></div>` +
            `<div class="from_name">Ada</div><div class="text">${words(i)}</div></div></div>\n`
          )
        },
      ).join('')}</div></body></html>`,
    }),
  },
  {
    format: 'signal',
    of: items => ({
      'Ben/data.json': lines(
        upTo(items, i => ({ date: stamp(i), sender: 'Ada', body: words(i), reactions: [], attachments: [] })),
      ),
    }),
  },
  {
    format: 'imessage',
    of: items => ({
      'chat.db': messageDatabase({
        handle: [{ ROWID: 1, id: '+491701234567' }],
        chat: [{ ROWID: 1, chat_identifier: '+491701234567' }],
        message: upTo(items, i => ({
          guid: `G${i}`,
          text: words(i),
          date: appleTime(millis(i)),
          handle_id: 1,
        })),
        chat_message_join: upTo(items, i => ({ chat_id: 1, message_id: i + 1 })),
      }),
    }),
  },
  {
    format: 'sms-backup',
    of: items => ({
      'sms.xml': `<?xml version='1.0'?><smses>${upTo(
        items,
        i => `<sms address="+491701234567" date="${millis(i)}" type="1" body="${words(i)}"/>`,
      ).join('')}</smses>`,
    }),
  },
  {
    format: 'discord',
    layout: 'exporter',
    of: items => ({
      'general.json': {
        guild: { id: '1', name: 'Club' },
        channel: { id: '2', name: 'general' },
        messages: upTo(items, i => ({
          id: String(i),
          type: 'Default',
          timestamp: iso(i),
          content: words(i),
          author: { id: '7', name: 'ada' },
        })),
      },
    }),
  },
  {
    format: 'discord',
    layout: 'data package',
    of: items => ({
      'package/account/user.json': { id: '7', username: 'ada' },
      'package/messages/index.json': { 2: 'general' },
      'package/messages/c2/channel.json': { id: '2', type: 0, name: 'general' },
      'package/messages/c2/messages.json': upTo(items, i => ({
        ID: i + 1,
        Timestamp: stamp(i).replace('T', ' '),
        Contents: words(i),
        Attachments: '',
      })).reverse(),
    }),
  },
  {
    format: 'facebook-instagram',
    layout: 'messages',
    of: items => ({
      'messages/inbox/ben_1/message_1.json': {
        participants: [{ name: 'Ada' }, { name: 'Ben' }],
        messages: upTo(items, i => ({
          sender_name: 'Ada',
          timestamp_ms: millis(i),
          content: words(i),
        })).reverse(),
        title: 'Ben',
        thread_path: 'inbox/ben_1',
      },
    }),
  },
]
