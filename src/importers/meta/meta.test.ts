import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { mended } from './mended-text.ts'
import { meta } from './meta.ts'

const garbled = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

test('texts that were written byte by byte are mended, and others are left alone', () => {
  assert.equal(mended(garbled('Müller 👋 Ёж')), 'Müller 👋 Ёж')
  for (const text of ['plain', 'Müller', 'naïve café', 'Ёж']) assert.equal(mended(text), text)
})

test('messages are read with their chat, people, reactions and pictures, and Müller is found', async context => {
  const thread = {
    participants: [{ name: garbled('Änne Müller') }, { name: 'Ben' }],
    messages: [
      { sender_name: 'Ben', timestamp_ms: 1700000002000, content: 'ok' },
      { sender_name: 'Ben', timestamp_ms: 1700000002000, content: 'ok' },
      {
        sender_name: garbled('Änne Müller'),
        timestamp_ms: 1700000001000,
        content: garbled('Grüße aus Köln'),
        photos: [{ uri: 'messages/inbox/anne_1/photos/a.jpg' }],
        reactions: [{ reaction: garbled('❤'), actor: 'Ben' }],
        share: { link: 'https://example.org' },
      },
    ],
    title: garbled('Änne Müller'),
    thread_path: 'inbox/anne_1',
  }
  const files = {
    'fb/messages/inbox/anne_1/message_1.json': thread,
    'fb/messages/inbox/anne_1/photos/a.jpg': 'JPG',
  }
  const reading = await readingOf(meta, folderWith(context, files))
  const messages = reading.of('meta_messages')
  assert.deepEqual(
    messages.map(({ chat, sender, text, sent_at }) => [chat, sender, text, sent_at]),
    [
      ['Änne Müller', 'Ben', 'ok', '2023-11-14T22:13:22Z'],
      ['Änne Müller', 'Ben', 'ok', '2023-11-14T22:13:22Z'],
      ['Änne Müller', 'Änne Müller', 'Grüße aus Köln\nhttps://example.org', '2023-11-14T22:13:21Z'],
    ],
  )
  assert.deepEqual(messages[2]?.reactions, [{ name: '❤', count: 1, users: ['Ben'] }])
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  const grown = {
    ...thread,
    messages: [{ sender_name: 'Ben', timestamp_ms: 1700000009000, content: 'new' }, ...thread.messages],
  }
  const after = await readingOf(
    meta,
    folderWith(context, { 'fb/messages/inbox/anne_1/message_1.json': grown }),
  )
  const known = new Set(messages.map(({ id }) => id))
  assert.equal(after.of('meta_messages').filter(({ id }) => !known.has(id)).length, 1)
})

test('posts of Facebook and Instagram are read', async context => {
  const folder = folderWith(context, {
    'posts/your_posts_1.json': [
      { timestamp: 1700000000, data: [{ post: garbled('Frühstück') }], title: 'Ada updated her status.' },
      {
        timestamp: 1700000001,
        attachments: [{ data: [{ external_context: { url: 'https://example.org' } }] }],
      },
    ],
    'media/posts_1.json': [
      { media: [{ uri: 'media/posts/202311/b.jpg', creation_timestamp: 1700000002, title: garbled('Öl') }] },
    ],
    'media/posts/202311/b.jpg': 'JPG',
  })
  const reading = await readingOf(meta, folder)
  assert.deepEqual(
    reading.of('meta_posts').map(({ text, posted_at, links }) => [text, posted_at, links]),
    [
      ['Öl', '2023-11-14T22:13:22Z', []],
      ['Frühstück', '2023-11-14T22:13:20Z', []],
      [null, '2023-11-14T22:13:21Z', ['https://example.org']],
    ],
  )
})
