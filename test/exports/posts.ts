import { iso, type MadeExport, millis, upTo, words } from './made-export.ts'

export const POSTS: MadeExport[] = [
  {
    format: 'facebook-instagram',
    layout: 'posts',
    of: items => ({
      'posts/your_posts_1.json': upTo(items, i => ({
        timestamp: millis(i) / 1000,
        data: [{ post: words(i) }],
      })).reverse(),
    }),
  },
  {
    format: 'x',
    of: items => ({
      'data/account.js': `window.YTD.account.part0 = [{"account":{"accountId":"7","username":"ada"}}]`,
      'data/tweets.js': `window.YTD.tweets.part0 = ${JSON.stringify(
        upTo(items, i => ({
          tweet: {
            id_str: String(i + 1),
            created_at: new Date(millis(i))
              .toUTCString()
              .replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 +0000 $4'),
            full_text: words(i),
          },
        })).reverse(),
      )}`,
    }),
  },
  {
    format: 'mastodon',
    of: items => ({
      'outbox.json': {
        '@context': 'https://www.w3.org/ns/activitystreams',
        id: 'outbox.json',
        type: 'OrderedCollection',
        orderedItems: upTo(items, i => ({
          id: `https://example.org/users/ada/statuses/${i}/activity`,
          type: 'Create',
          published: iso(i),
          object: { type: 'Note', content: `<p>${words(i)}</p>` },
        })),
      },
    }),
  },
]
