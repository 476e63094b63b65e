import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, lookalikeOf, readingOf, zipWith } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'
import type { Json } from '../../model/json.ts'

const part = (kind: string, value: Json) => `window.YTD.${kind}.part0 = ${JSON.stringify(value, null, 2)}`
const ACCOUNT = part('account', [{ account: { accountId: '7', username: 'ada' } }])

test('posts, likes and direct messages of an X archive are read', async context => {
  const tweet = {
    id_str: '1169246717864136705',
    created_at: 'Wed Sep 04 13:51:55 +0000 2019',
    full_text: 'Bread &amp; butter https://t.co/a #rye',
    entities: {
      urls: [{ url: 'https://t.co/a', expanded_url: 'https://example.org' }],
      hashtags: [{ text: 'rye' }],
      user_mentions: [{ screen_name: 'ben' }],
      media: [{ media_url_https: 'https://pbs.twimg.com/media/p.jpg' }],
    },
  }
  const conversation = {
    conversationId: '7-8',
    messages: [
      {
        messageCreate: {
          id: '2',
          senderId: '8',
          text: 'hi',
          createdAt: '2020-01-01T00:00:01.000Z',
          mediaUrls: [],
          urls: [],
        },
      },
      { messageCreate: { id: '1', senderId: '7', text: 'hello', createdAt: '2020-01-01T00:00:00.000Z' } },
      { participantsLeave: {} },
    ],
  }
  const folder = folderWith(context, {
    'data/account.js': ACCOUNT,
    'data/tweets.js': part('tweets', [{ tweet }, { tweet: { full_text: 'no id' } }]),
    'data/like.js': part('like', [
      { like: { tweetId: '5', fullText: 'nice', expandedUrl: 'https://x.com/i/5' } },
    ]),
    'data/direct-messages.js': part('direct_messages', [{ dmConversation: conversation }]),
    'data/follower.js': part('follower', [{ follower: { accountId: '9' } }]),
    'data/tweets_media/1169246717864136705-p.jpg': 'JPG',
  })
  const reading = await readingOf('x', folder)
  assert.deepEqual(rowsOf(reading.of('x_posts'), 'kind', 'text', 'posted_at', 'hashtags', 'source_id'), [
    ['like', 'nice', null, [], '5'],
    [
      'post',
      'Bread & butter https://example.org #rye',
      '2019-09-04T13:51:55Z',
      ['rye'],
      '1169246717864136705',
    ],
  ])
  assert.deepEqual(rowsOf(reading.of('x_direct_messages'), 'chat', 'sender', 'text', 'sent_at'), [
    ['Conversation with 8', '8', 'hi', '2020-01-01T00:00:01Z'],
    ['Conversation with 8', 'ada', 'hello', '2020-01-01T00:00:00Z'],
  ])
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  assert.deepEqual(rowsOf(reading.rejections, 'place', 'code'), [['data/tweets.js, item 2', 'no_id']])
  assert.equal(reading.finding.account, '7')
})

test('a long post has its whole text, and posts in communities, named groups and Grok are read', async context => {
  const post = (id_str: string, full_text: string) => ({
    tweet: { id_str, created_at: 'Mon Jan 13 21:05:09 +0000 2025', full_text, entities: {} },
  })
  const whole = `Rye & water. ${'Knead it well. '.repeat(30)}`.trim()
  const cut = `${whole.slice(0, 270).replace('&', '&amp;')}… https://t.co/abc`
  const note = (text: string, createdAt: string) => ({
    noteTweet: { noteTweetId: '9', createdAt, core: { text, urls: [] } },
  })
  const grok = (name: string, message: string, createdAt: string) => ({
    grokChatItem: { chatId: '1', createdAt, sender: { name }, message },
  })
  const group = {
    conversationId: '555',
    messages: [
      { conversationNameUpdate: { name: 'Bakers', createdAt: '2025-01-13T21:06:00.000Z' } },
      {
        messageCreate: {
          ...{ id: '3', senderId: '8', text: 'Hi all', createdAt: '2025-01-13T21:05:09.000Z' },
          reactions: [{ senderId: '7', reactionKey: 'like' }],
        },
      },
      { joinConversation: { participantsSnapshot: ['7', '8', '9'], createdAt: '2025-01-13T21:05:00.000Z' } },
    ],
  }
  const path = zipWith(context, {
    'data/account.js': ACCOUNT,
    'data/tweets.js': part('tweets', [post('1', cut), post('2', 'Short…')]),
    'data/note-tweet.js': part('note_tweet', [
      note(`${whole} But not this one.`, '2020-01-13T21:05:09.000Z'),
      note(whole, '2025-01-13T21:05:09.000Z'),
    ]),
    'data/community-tweet.js': part('community_tweet', [post('3', 'In the community')]),
    'data/direct-messages-group.js': part('direct_messages_group', [
      { dmConversation: group },
      { dmConversation: { ...group, conversationId: '556', messages: group.messages.slice(1) } },
    ]),
    'data/grok-chat-item.js': part('grok_chat_item', [
      grok('User', 'How long?', '2025-01-13T21:05:09.000Z'),
      grok('Agent', 'An hour.', '2025-01-13T21:05:12.000Z'),
    ]),
    'data/manifest.js': 'window.__THAR_CONFIG = {}',
    'Your archive.html': '<html><body>Your archive</body></html>',
    'assets/js/app.js': 'window.a = 1',
  })
  assert.deepEqual(await formatsOf(path), ['x'])
  const { of } = await readingOf('x', path)
  assert.deepEqual(rowsOf(of('x_posts'), 'source_id', 'text'), [
    ['3', 'In the community'],
    ['1', whole],
    ['2', 'Short…'],
  ])
  assert.deepEqual(rowsOf(of('x_direct_messages'), 'chat', 'text', 'reactions'), [
    ['Bakers', 'Hi all', [{ name: 'like', count: 1, users: ['ada'] }]],
    ['Conversation with 8, 9', 'Hi all', [{ name: 'like', count: 1, users: ['ada'] }]],
  ])
  assert.deepEqual(rowsOf(of('x_grok_messages'), 'sender', 'text', 'sent_at'), [
    ['user', 'How long?', '2025-01-13T21:05:09Z'],
    ['assistant', 'An hour.', '2025-01-13T21:05:12Z'],
  ])
})

test('an archive without posts is refused with the reason', async context => {
  const folder = folderWith(context, { 'account.js': ACCOUNT })
  assert.match((await lookalikeOf('x', folder)) ?? '', /contains no posts, likes or messages/)
})
