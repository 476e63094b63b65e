import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'

const message = (body: string, more: object = {}) =>
  JSON.stringify({
    date: '2024-03-01T10:00:00',
    sender: 'Ada',
    body,
    quote: '',
    sticker: '',
    reactions: [],
    attachments: [],
    ...more,
  })

test('chats of signal-export are read with quotes, reactions and files', async context => {
  const folder = folderWith(context, {
    'Ben/data.json': [
      message('Fresh rye'),
      message('Fresh rye'),
      message('a photo', {
        date: '2024-03-01T10:01:00',
        quote: '> Fresh rye\n',
        reactions: [{ name: 'Ben', emoji: '🔥' }],
        attachments: [
          { name: 'loaf.jpg', path: 'media/2024-03-01_loaf.jpg' },
          { name: 'lost.pdf', path: 'media/lost.pdf' },
        ],
      }),
      '{"broken',
    ].join('\n'),
    'Ben/chat.md': '[2024-03-01 10:00:00] Ada: Fresh rye',
    'Ben/media/2024-03-01_loaf.jpg': 'JPG',
  })
  assert.deepEqual(await formatsOf(folder), ['signal'])
  const reading = await readingOf('signal', folder)
  const messages = reading.of('signal_messages')
  assert.deepEqual(rowsOf(messages, 'chat', 'sender', 'text', 'sent_at', 'position', 'quote'), [
    ['Ben', 'Ada', 'Fresh rye', '2024-03-01T10:00:00Z', 1, null],
    ['Ben', 'Ada', 'Fresh rye', '2024-03-01T10:00:00Z', 2, null],
    ['Ben', 'Ada', 'a photo', '2024-03-01T10:01:00Z', 1, '> Fresh rye'],
  ])
  assert.equal(new Set(messages.map(({ id }) => id)).size, 3)
  assert.deepEqual(messages[2]?.reactions, [{ name: '🔥', count: 1, users: ['Ben'] }])
  assert.deepEqual(
    reading.blobs.map(({ content }) => content.toString()),
    ['JPG'],
  )
  assert.equal(messages[2]?.attachment_count, 2)
  assert.deepEqual(rowsOf(reading.rejections, 'place', 'code'), [['Ben/data.json, line 4', 'not_json']])
})

test('times are those of the clock of the owner, and ids do not depend on it', async context => {
  const folder = folderWith(context, { 'Ben/data.json': message('Fresh rye') })
  const inZone = async (zone: string) => (await readingOf('signal', folder, zone)).of('signal_messages')[0]
  const berlin = await inZone('Europe/Berlin')
  assert.deepEqual([berlin?.sent_at, berlin?.sent_at_local], ['2024-03-01T09:00:00Z', '2024-03-01T10:00:00'])
  assert.equal(berlin?.id, (await inZone('UTC'))?.id)
})
