import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { mastodon } from './mastodon.ts'

test('posts, replies and boosts of a Mastodon archive are read', async context => {
  const outbox = {
    '@context': 'https://www.w3.org/ns/activitystreams',
    id: 'outbox.json',
    type: 'OrderedCollection',
    orderedItems: [
      {
        id: 'https://example.org/users/ada/statuses/1/activity',
        type: 'Create',
        actor: 'https://example.org/users/ada',
        published: '2024-01-01T10:00:00Z',
        object: {
          type: 'Note',
          content: '<p>Fresh <a href="https://example.org/rye">rye</a></p><p>Grüße</p>',
          inReplyTo: 'https://example.org/users/ben/statuses/9',
          url: 'https://example.org/@ada/1',
          tag: [
            { type: 'Hashtag', name: '#bread' },
            { type: 'Mention', name: '@ben' },
          ],
          attachment: [{ url: '/media_attachments/files/1/a.png', mediaType: 'image/png', name: 'A loaf' }],
        },
      },
      {
        id: 'https://example.org/2',
        type: 'Announce',
        published: '2024-01-02T10:00:00Z',
        object: 'https://example.org/@ben/3',
      },
      { type: 'Create' },
    ],
  }
  const folder = folderWith(context, { 'outbox.json': outbox, 'media_attachments/files/1/a.png': 'PNG' })
  const reading = await readingOf(mastodon, folder)
  assert.deepEqual(
    reading
      .of('mastodon_posts')
      .map(({ kind, text, posted_at, hashtags, mentions, url, links }) => [
        kind,
        text,
        posted_at,
        hashtags,
        mentions,
        url,
        links,
      ]),
    [
      [
        'reply',
        'Fresh rye\n\nGrüße',
        '2024-01-01T10:00:00Z',
        ['bread'],
        ['@ben'],
        'https://example.org/@ada/1',
        ['https://example.org/rye'],
      ],
      [
        'repost',
        null,
        '2024-01-02T10:00:00Z',
        [],
        [],
        'https://example.org/@ben/3',
        ['https://example.org/@ben/3'],
      ],
    ],
  )
  assert.equal(reading.blobs[0]?.content.toString(), 'PNG')
  assert.deepEqual(
    reading.rejections.map(({ code }) => code),
    ['no_id'],
  )
})
