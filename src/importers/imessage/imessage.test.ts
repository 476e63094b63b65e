import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Rows } from '../../../test/exports/database.ts'
import { appleTime, attributedBody, messageDatabase } from '../../../test/exports/message-database.ts'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'

const guid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const message = (number: number, more: Rows[string][number]) => ({
  ROWID: number,
  guid: guid(number),
  date: appleTime(Date.UTC(2024, 2, 1, 10, number)),
  service: 'iMessage',
  handle_id: 1,
  ...more,
})
const PEOPLE: Rows = {
  handle: [
    { ROWID: 1, id: '+491701234567' },
    { ROWID: 2, id: 'ada@example.org' },
  ],
  chat: [
    { ROWID: 1, guid: 'iMessage;-;+491701234567', chat_identifier: '+491701234567' },
    { ROWID: 2, guid: 'SMS;-;+491701234567', chat_identifier: '+491701234567' },
    { ROWID: 3, guid: 'iMessage;+;chat77', chat_identifier: 'chat77', display_name: 'Bread club' },
    { ROWID: 4, guid: 'iMessage;+;chat78', chat_identifier: 'chat78' },
  ],
  chat_handle_join: [
    { chat_id: 1, handle_id: 1 },
    { chat_id: 2, handle_id: 1 },
    { chat_id: 4, handle_id: 1 },
    { chat_id: 4, handle_id: 2 },
  ],
}
const inChats = (...chats: number[]) => chats.map((chat_id, index) => ({ chat_id, message_id: index + 1 }))

test('messages of the Messages app are read with their chats, senders and times', async context => {
  const long = 'Grüße aus Köln. '.repeat(20).trim()
  const folder = folderWith(context, {
    'chat.db': messageDatabase({
      ...PEOPLE,
      message: [
        message(1, { text: 'Fresh rye?' }),
        message(2, { text: null, attributedBody: attributedBody(long), is_from_me: 1, service: 'SMS' }),
        message(3, { text: 'Hello club', handle_id: 2, thread_originator_guid: guid(1), subject: 'Rye' }),
        message(4, { text: null, item_type: 2, group_title: 'Bread club', handle_id: 2 }),
        message(5, { attributedBody: attributedBody('gone'), date_retracted: 1n }),
        message(6, { text: 'edited', date_edited: appleTime('2024-03-01T11:00:00Z') }),
      ],
      chat_message_join: [...inChats(1, 2, 3, 3, 4, 1), { chat_id: 2, message_id: 1 }],
    }),
  })
  assert.deepEqual(await formatsOf(folder), ['imessage'])
  const messages = (await readingOf('imessage', folder)).of('imessage_messages')
  assert.deepEqual(rowsOf(messages, 'chat', 'sender', 'text', 'sent_at', 'kind', 'service'), [
    ['+491701234567', '+491701234567', 'Fresh rye?', '2024-03-01T10:01:00Z', 'message', 'iMessage'],
    ['+491701234567', 'You', long, '2024-03-01T10:02:00Z', 'message', 'SMS'],
    ['Bread club', 'ada@example.org', 'Hello club', '2024-03-01T10:03:00Z', 'message', 'iMessage'],
    ['Bread club', 'ada@example.org', 'Bread club', '2024-03-01T10:04:00Z', 'system', 'iMessage'],
    ['+491701234567, ada@example.org', '+491701234567', 'gone', '2024-03-01T10:05:00Z', 'unsent', 'iMessage'],
    ['+491701234567', '+491701234567', 'edited', '2024-03-01T10:06:00Z', 'message', 'iMessage'],
  ])
  assert.equal(messages[0]?.chat_id, messages[1]?.chat_id, 'SMS and iMessage with one person are one chat')
  assert.equal(messages[2]?.reply_to_id, messages[0]?.id)
  assert.equal(messages[2]?.subject, 'Rye')
  assert.equal(messages[5]?.edited_at, '2024-03-01T11:00:00Z')
})

test('a reaction belongs to its message, unless it was removed again', async context => {
  const reaction = (number: number, type: number, more: Rows[string][number] = {}) =>
    message(number, { associated_message_guid: `p:0/${guid(1)}`, associated_message_type: type, ...more })
  const folder = folderWith(context, {
    'chat.db': messageDatabase({
      ...PEOPLE,
      message: [
        message(1, { text: 'Cake at four', is_from_me: 1 }),
        reaction(2, 2001),
        reaction(3, 2000),
        reaction(4, 3000),
        reaction(5, 2006, { associated_message_emoji: '🎂', handle_id: 2 }),
      ],
      chat_message_join: inChats(1, 1, 1, 1, 1),
    }),
  })
  const messages = (await readingOf('imessage', folder)).of('imessage_messages')
  assert.equal(messages.length, 1)
  assert.deepEqual(messages[0]?.reactions, [
    { name: '👍', count: 1, users: ['+491701234567'] },
    { name: '🎂', count: 1, users: ['ada@example.org'] },
  ])
})

test('attachments beside the database are kept, of others the name', async context => {
  const stored = '~/Library/Messages/Attachments/0a/10/AB12/loaf.txt'
  const folder = folderWith(context, {
    'Messages/chat.db': messageDatabase({
      ...PEOPLE,
      message: [message(1, { text: '\ufffcLook' })],
      chat_message_join: inChats(1),
      attachment: [
        { ROWID: 1, filename: stored, mime_type: 'text/plain', transfer_name: 'loaf.txt', total_bytes: 9 },
        { ROWID: 2, filename: '~/Library/Messages/Attachments/x/lost.pdf', mime_type: 'application/pdf' },
      ],
      message_attachment_join: [
        { message_id: 1, attachment_id: 1 },
        { message_id: 1, attachment_id: 2 },
      ],
    }),
    'Messages/Attachments/0a/10/AB12/loaf.txt': 'Rye bread',
  })
  assert.deepEqual(await formatsOf(folder), ['imessage'])
  const reading = await readingOf('imessage', folder)
  const [found] = reading.of('imessage_messages')
  assert.equal(found?.text, 'Look')
  assert.equal(found?.attachment_count, 2)
  assert.deepEqual(
    reading.blobs.map(({ content }) => content.toString()),
    ['Rye bread'],
  )
  assert.equal(JSON.stringify(found?.attachments).includes('"name":"lost.pdf"'), true)
})

test('an older database with fewer columns and times in seconds is read', async context => {
  const newer = ['attributedBody', 'thread_originator_guid', 'date_edited', 'date_retracted']
  const folder = folderWith(context, {
    'sms.db': messageDatabase(
      {
        ...PEOPLE,
        message: [{ ...message(1, { text: 'old' }), date: 400_000_000 }],
        chat_message_join: inChats(1),
      },
      [...newer, 'destination_caller_id', 'associated_message_emoji'],
    ),
  })
  const [found] = (await readingOf('imessage', folder)).of('imessage_messages')
  assert.deepEqual([found?.text, found?.sent_at], ['old', '2013-09-04T15:06:40Z'])
})

test('what the app has not written to the database yet is read from its log', async context => {
  const whole = messageDatabase({ ...PEOPLE, message: [message(1, { text: 'stored' })] })
  const folder = folderWith(context, { 'chat.db': whole })
  const open = new DatabaseSync(join(folder, 'chat.db'))
  open.exec(`PRAGMA journal_mode = WAL; INSERT INTO message (guid, text) VALUES ('${guid(2)}', 'in the log')`)
  const { of } = await readingOf('imessage', folder)
  open.close()
  assert.deepEqual(valuesOf(of('imessage_messages'), 'text'), ['stored', 'in the log'])
})

test('a damaged database is rejected with the reason, another database is not taken', async context => {
  const whole = messageDatabase({ ...PEOPLE, message: [message(1, { text: 'x' })] })
  const folder = folderWith(context, { 'chat.db': whole.fill(7, 4_096) })
  const { rejections, records } = await readingOf('imessage', folder)
  assert.equal(records.length, 0)
  assert.deepEqual(valuesOf(rejections, 'code'), ['source_unreadable'])
  const other = folderWith(context, { 'data.db': 'SQLite format 3\0 and no such table' })
  assert.deepEqual(await formatsOf(other), [])
})
