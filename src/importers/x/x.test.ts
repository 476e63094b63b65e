import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, lookalikeOf, readingOf } from '../../../test/imported-folder.ts'
import type { Json } from '../../model/json.ts'
import { x } from './x.ts'

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
  const reading = await readingOf(x, folder)
  assert.deepEqual(
    reading
      .of('x_posts')
      .map(({ kind, text, posted_at, hashtags, source_id }) => [kind, text, posted_at, hashtags, source_id]),
    [
      ['like', 'nice', null, [], '5'],
      [
        'post',
        'Bread & butter https://example.org #rye',
        '2019-09-04T13:51:55Z',
        ['rye'],
        '1169246717864136705',
      ],
    ],
  )
  assert.deepEqual(
    reading.of('x_direct_messages').map(({ chat, sender, text, sent_at }) => [chat, sender, text, sent_at]),
    [
      ['Conversation with 8', '8', 'hi', '2020-01-01T00:00:01Z'],
      ['Conversation with 8', 'ada', 'hello', '2020-01-01T00:00:00Z'],
    ],
  )
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  assert.deepEqual(
    reading.rejections.map(({ place, code }) => [place, code]),
    [['data/tweets.js, item 2', 'no_id']],
  )
  assert.equal(reading.finding.account, '7')
})

test('an archive without posts is refused with the reason', async context => {
  const folder = folderWith(context, { 'account.js': ACCOUNT })
  assert.match((await lookalikeOf(x, folder)) ?? '', /contains no posts, likes or messages/)
})
