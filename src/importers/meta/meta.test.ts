import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf, zipWith } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'
import { mended } from './messages.ts'

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
  const reading = await readingOf('facebook-instagram', folderWith(context, files))
  const messages = reading.of('meta_messages')
  assert.deepEqual(rowsOf(messages, 'chat', 'sender', 'text', 'sent_at'), [
    ['Änne Müller', 'Ben', 'ok', '2023-11-14T22:13:22Z'],
    ['Änne Müller', 'Ben', 'ok', '2023-11-14T22:13:22Z'],
    ['Änne Müller', 'Änne Müller', 'Grüße aus Köln\nhttps://example.org', '2023-11-14T22:13:21Z'],
  ])
  assert.deepEqual(messages[2]?.reactions, [{ name: '❤', count: 1, users: ['Ben'] }])
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  const grown = {
    ...thread,
    messages: [{ sender_name: 'Ben', timestamp_ms: 1700000009000, content: 'new' }, ...thread.messages],
  }
  const after = await readingOf(
    'facebook-instagram',
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
  const reading = await readingOf('facebook-instagram', folder)
  assert.deepEqual(rowsOf(reading.of('meta_posts'), 'text', 'posted_at', 'links'), [
    ['Öl', '2023-11-14T22:13:22Z', []],
    ['Frühstück', '2023-11-14T22:13:20Z', []],
    [null, '2023-11-14T22:13:21Z', ['https://example.org']],
  ])
})

test('encrypted chats that Messenger exports itself are read', async context => {
  const said = (senderName: string, text: string, timestamp: number, more = {}) => ({
    ...{ isUnsent: false, media: [], reactions: [], senderName, text, timestamp, type: 'text' },
    ...more,
  })
  const folder = folderWith(context, {
    'Änne Müller_12.json': {
      participants: ['Änne Müller', 'Ben'],
      threadName: 'Änne Müller_12',
      messages: [
        said('Änne Müller', 'Grüße', 1700000002000, { reactions: [{ actor: 'Ben', reaction: '❤' }] }),
        said('Ben', '', 1700000003000, { type: 'media', media: [{ uri: './media/a.jpg' }] }),
        said('Ben', '', 1700000004000, { type: 'placeholder', isUnsent: true }),
      ],
    },
    'media/a.jpg': 'JPG',
  })
  const { of, blobs, finding } = await readingOf('facebook-instagram', folder)
  assert.equal(finding.files.length, 2)
  assert.deepEqual(rowsOf(of('meta_messages'), 'chat', 'sender', 'text', 'sent_at', 'kind'), [
    ['Änne Müller', 'Änne Müller', 'Grüße', '2023-11-14T22:13:22Z', 'message'],
    ['Änne Müller', 'Ben', null, '2023-11-14T22:13:23Z', 'message'],
    ['Änne Müller', 'Ben', null, '2023-11-14T22:13:24Z', 'unsent'],
  ])
  assert.deepEqual(of('meta_messages')[0]?.reactions, [{ name: '❤', count: 1, users: ['Ben'] }])
  assert.deepEqual(of('meta_messages')[0]?.participants, ['Änne Müller', 'Ben'])
  assert.equal(blobs[0]?.content.toString(), 'JPG')
})

test('comments and posts of Threads are read, and likes, settings and advertising are not imported as tables', async context => {
  const comment = { comment: { timestamp: 1700000000, comment: garbled('Schön'), author: 'Ada' } }
  const path = zipWith(context, {
    'your_facebook_activity/comments_and_reactions/comments.json': {
      comments_v2: [{ timestamp: 1700000000, data: [comment], title: 'Ada commented on a post.' }],
    },
    'your_instagram_activity/comments/post_comments_1.json': [
      {
        string_map_data: {
          Kommentar: { value: garbled('Köstlich') },
          Medieneigentümer: { value: 'ben' },
          Uhrzeit: { timestamp: 1700000001 },
        },
      },
    ],
    'your_instagram_activity/threads/threads_and_replies.json': {
      text_post_app_text_posts: [
        { media: [{ uri: '', creation_timestamp: 1700000002, title: garbled('Würzig') }] },
      ],
    },
    'your_instagram_activity/likes/liked_posts.json': {
      likes_media_likes: [{ title: 'ben', string_list_data: [{ href: 'https://x', timestamp: 1 }] }],
    },
    'ads_information/ads_viewed.json': { ads: [{ title: 'a' }, { title: 'b' }] },
  })
  assert.deepEqual(await formatsOf(path), ['facebook-instagram'])
  const { of } = await readingOf('facebook-instagram', path)
  assert.deepEqual(rowsOf(of('meta_posts'), 'kind', 'text', 'posted_at'), [
    ['comment', 'Schön', '2023-11-14T22:13:20Z'],
    ['comment', 'Köstlich', '2023-11-14T22:13:21Z'],
    ['post', 'Würzig', '2023-11-14T22:13:22Z'],
  ])
  assert.deepEqual(of('meta_posts')[2]?.attachments, [])
})
