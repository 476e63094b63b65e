import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import type { JsonObject } from '../../model/json.ts'
import { telegram } from './telegram.ts'

const CHAT: JsonObject = {
  name: 'Ada',
  type: 'personal_chat',
  id: 4321,
  messages: [
    {
      id: 1,
      type: 'message',
      date: '2024-03-01T10:00:00',
      date_unixtime: '1709283600',
      from: 'Ada',
      from_id: 'user1',
      text: [
        'See ',
        { type: 'text_link', text: 'the plan', href: 'https://example.org' },
        ' ',
        { type: 'bold', text: 'now' },
      ],
      reactions: [{ type: 'emoji', count: 2, emoji: '🔥', recent: [{ from: 'Ben' }] }],
    },
    {
      id: 2,
      type: 'message',
      date: '2024-03-01T10:01:00',
      date_unixtime: '1709283660',
      from: 'Ben',
      text: '',
      photo: 'photos/a.jpg',
      reply_to_message_id: 1,
    },
    {
      id: 3,
      type: 'message',
      date: '2024-03-01T10:02:00',
      from: 'Ben',
      text: 'x',
      file: '(File not included.)',
      file_name: 'b.pdf',
    },
    {
      id: 4,
      type: 'service',
      date: '2024-03-01T10:03:00',
      actor: 'Ada',
      action: 'invite_members',
      members: ['Cem'],
      text: '',
    },
  ],
}

test('a Telegram chat is read with marked text, replies, reactions and files', async context => {
  const reading = await readingOf(
    telegram,
    folderWith(context, { 'result.json': CHAT, 'photos/a.jpg': 'JPG' }),
  )
  const messages = reading.of('telegram_messages')
  assert.deepEqual(
    messages.map(({ sender, text, sent_at, kind }) => [sender, text, sent_at, kind]),
    [
      ['Ada', 'See the plan (https://example.org) now', '2024-03-01T09:00:00Z', 'message'],
      ['Ben', null, '2024-03-01T09:01:00Z', 'message'],
      ['Ben', 'x', '2024-03-01T10:02:00Z', 'message'],
      ['Ada', 'Ada invite members Cem', '2024-03-01T10:03:00Z', 'service'],
    ],
  )
  assert.deepEqual(messages[0]?.reactions, [{ name: '🔥', count: 2, users: ['Ben'] }])
  assert.equal(messages[1]?.reply_to_id, messages[0]?.id)
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  assert.equal(messages[1]?.attachment_count, 1)
  assert.deepEqual(messages[2]?.attachments, [{ name: 'b.pdf', mime_type: null, size_bytes: null }])
})

test('the full export of an account is read chat by chat, left chats included', async context => {
  const full = {
    about: 'Here is the data you requested.',
    contacts: { list: [{ first_name: 'x' }] },
    chats: {
      about: 'y',
      list: [CHAT, { type: 'saved_messages', id: 5, messages: [{ id: 1, type: 'message', text: 'note' }] }],
    },
    left_chats: {
      list: [
        {
          name: 'Old club',
          type: 'private_group',
          id: 6,
          messages: [{ id: 1, type: 'message', text: 'bye' }],
        },
      ],
    },
  }
  const reading = await readingOf(telegram, folderWith(context, { 'result.json': full }))
  const messages = reading.of('telegram_messages')
  assert.deepEqual(
    messages.map(({ chat, position }) => [chat, position]),
    [
      ['Ada', 1],
      ['Ada', 2],
      ['Ada', 3],
      ['Ada', 4],
      ['Saved messages', 1],
      ['Old club', 1],
    ],
  )
  const one = await readingOf(telegram, folderWith(context, { 'result.json': CHAT }))
  assert.deepEqual(
    one.of('telegram_messages').map(({ id }) => id),
    messages.slice(0, 4).map(({ id }) => id),
  )
})

test('a broken message is rejected and the rest is read', async context => {
  const text = JSON.stringify(CHAT).replace('"id":3,', '"id":3 oops,')
  const reading = await readingOf(telegram, folderWith(context, { 'result.json': text }))
  assert.deepEqual(
    reading.rejections.map(({ place, code }) => [place, code]),
    [['result.json, message 3', 'not_json']],
  )
  assert.equal(reading.records.length, 3)
})
