import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'

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
  const reading = await readingOf('mastodon', folder)
  assert.deepEqual(
    rowsOf(reading.of('mastodon_posts'), 'kind', 'text', 'posted_at', 'hashtags', 'mentions', 'url', 'links'),
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
  assert.deepEqual(valuesOf(reading.rejections, 'code'), ['no_id'])
})

test('a poll has its options, and hashtags and mentions are words without an address', async context => {
  const link = (kind: string, sign: string, word: string) =>
    `<a href="https://example.org/${word}" class="${kind}" rel="tag">${sign}<span>${word}</span></a>`
  const object = {
    type: 'Question',
    content: `<p>Which ${link('mention hashtag', '#', 'bread')}, ${link('u-url mention', '@', 'ben')}? <a href="https://example.org/r">here</a></p>`,
    oneOf: [
      { type: 'Note', name: 'Rye', replies: { totalItems: 3 } },
      { type: 'Note', name: 'Oats', replies: { totalItems: 0 } },
    ],
  }
  const orderedItems = [{ id: '1', type: 'Create', published: '2025-01-01T10:00:00Z', object }]
  const outbox = { type: 'OrderedCollection', orderedItems }
  const { of } = await readingOf('mastodon', folderWith(context, { 'outbox.json': outbox }))
  const [post] = of('mastodon_posts')
  assert.equal(post?.text, 'Which #bread, @ben? here <https://example.org/r>\n• Rye: 3\n• Oats: 0')
  assert.deepEqual(post?.links, ['https://example.org/r'])
})
