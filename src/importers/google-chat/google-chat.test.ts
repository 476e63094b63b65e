import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatsOf, readingOf, zipWith } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'

test('chats and spaces of Google Chat are read with their names, files and reactions', async context => {
  const ada = { name: 'Ada', email: 'ada@example.org', user_type: 'Human' }
  const ben = { name: 'Ben', email: 'ben@example.org', user_type: 'Human' }
  const said = (creator: typeof ada, id: string, text: string, more = {}) => ({
    creator,
    created_date: `Tuesday, January 7, 2025 at 3:15:0${id}\u202fPM UTC`,
    text,
    topic_id: 't',
    message_id: `abc/t/${id}`,
    ...more,
  })
  const photo = {
    attached_files: [{ original_name: 'loaf.png', export_name: 'File-loaf.png' }],
    reactions: [{ emoji: { unicode: '🍞' }, reactor_emails: ['ada@example.org'] }],
  }
  const root = 'Takeout/Google Chat'
  const path = zipWith(context, {
    [`${root}/Groups/DM abc/messages.json`]: {
      messages: [
        said(ada, '1', 'Hello'),
        said(ben, '2', 'Look', photo),
        said(ben, '3', '', { message_state: 'DELETED' }),
      ],
    },
    [`${root}/Groups/DM abc/group_info.json`]: { members: [ada, ben] },
    [`${root}/Groups/DM abc/File-loaf.png`]: 'PNG',
    [`${root}/Groups/Space xyz/messages.json`]: { messages: [said(ada, '1', 'To all')] },
    [`${root}/Groups/Space xyz/group_info.json`]: { name: 'Bakers', members: [ada] },
    [`${root}/Users/User 1/user_info.json`]: { user: ada, membership_info: [{ group_name: 'Bakers' }] },
  })
  assert.deepEqual(await formatsOf(path), ['google-chat'])
  const { of, blobs, finding } = await readingOf('google-chat', path)
  assert.deepEqual(rowsOf(of('google_chat_messages'), 'chat', 'sender', 'text', 'sent_at', 'kind'), [
    ['Ben', 'Ada', 'Hello', '2025-01-07T15:15:01Z', 'message'],
    ['Ben', 'Ben', 'Look', '2025-01-07T15:15:02Z', 'message'],
    ['Ben', 'Ben', null, '2025-01-07T15:15:03Z', 'deleted'],
    ['Bakers', 'Ada', 'To all', '2025-01-07T15:15:01Z', 'message'],
  ])
  assert.deepEqual(of('google_chat_messages')[1]?.reactions, [
    { name: '🍞', count: 1, users: ['ada@example.org'] },
  ])
  assert.equal(blobs[0]?.content.toString(), 'PNG')
  assert.equal(finding.account, 'ada@example.org')
})
