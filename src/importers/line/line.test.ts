import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'

const FIELDS = ['chat', 'sender', 'text', 'sent_at', 'kind'] as const

async function messagesOf(context: Parameters<typeof folderWith>[0], ...lines: string[]) {
  const folder = folderWith(context, { '[LINE] Chat.txt': lines.join('\r\n') })
  return rowsOf((await readingOf('line', folder, 'Asia/Tokyo')).of('line_chat_messages'), ...FIELDS)
}

test('a chat is read with its days, messages of several lines and lines without a sender', async context => {
  const found = await messagesOf(
    context,
    '[LINE] 花子とのトーク履歴',
    '保存日時：2024/03/06 10:00',
    '',
    '2024/03/04(月)',
    '23:58\t花子\t"こんにちは',
    '',
    '「元気」ですか"',
    '2024/03/05(火)',
    '0:04\t太郎\t"はい"',
    '00:05\t\tメッセージの送信を取り消しました',
    '00:06\t花子が退出しました。',
    '00:06\t太郎\ta\tb',
  )
  assert.deepEqual(found, [
    ['花子', '花子', 'こんにちは\n\n「元気」ですか', '2024-03-04T14:58:00Z', 'message'],
    ['花子', '太郎', '"はい"', '2024-03-04T15:04:00Z', 'message'],
    ['花子', null, 'メッセージの送信を取り消しました', '2024-03-04T15:05:00Z', 'system'],
    ['花子', null, '花子が退出しました。', '2024-03-04T15:06:00Z', 'system'],
    ['花子', '太郎', 'a\tb', '2024-03-04T15:06:00Z', 'message'],
  ])
})

test('days and times are read in several languages; a weekday says which number is the month', async context => {
  const chats: [title: string, day: string, time: string][] = [
    ['Chat history with Ada', 'Tue, 03/05/2024', '9:30 PM'],
    ['Chat history with Ada', 'Tue, 05/03/2024', '09:30PM'],
    ['Chat history in Ada', '2024.03.05 Tuesday', '21:30'],
    ['與Ada的聊天記錄', '2024/03/05（二）', '下午09:30'],
    ['与Ada的聊天记录', '2024/03/05（周二）', '21:30'],
    ['Adaのトーク履歴', '2024/03/05(火)', '午後9:30'],
  ]
  for (const [title, day, time] of chats)
    assert.deepEqual(
      await messagesOf(context, `[LINE] ${title}`, 'Saved on: 2024/03/06 10:00', '', day, `${time}\tBen\tHi`),
      [['Ada', 'Ben', 'Hi', '2024-03-05T12:30:00Z', 'message']],
      `${title} ${day} ${time}`,
    )
})
