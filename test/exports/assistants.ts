import { chats, inChat, iso, lines, type MadeExport, millis, PER_CHAT, upTo, words } from './made-export.ts'

export const ASSISTANTS: MadeExport[] = [
  {
    format: 'chatgpt',
    of: items => ({
      'conversations.json': upTo(chats(items), chat => ({
        id: `c${chat}`,
        title: words(chat),
        create_time: millis(chat) / 1000,
        mapping: Object.fromEntries(
          inChat(items, chat).map(i => [
            `m${i}`,
            {
              id: `m${i}`,
              parent: i % PER_CHAT === 0 ? null : `m${i - 1}`,
              message: {
                author: { role: i % 2 ? 'assistant' : 'user' },
                create_time: millis(i) / 1000,
                content: { content_type: 'text', parts: [words(i)] },
              },
            },
          ]),
        ),
      })).reverse(),
    }),
    records: items => items + chats(items),
    updates: 1,
  },
  {
    format: 'claude',
    of: items => ({
      'conversations.json': upTo(chats(items), chat => ({
        uuid: `c${chat}`,
        name: words(chat),
        created_at: iso(chat),
        account: { uuid: 'ada' },
        chat_messages: inChat(items, chat).map(i => ({
          uuid: `m${i}`,
          sender: i % 2 ? 'assistant' : 'human',
          text: words(i),
          content: [{ type: 'text', text: words(i) }],
          created_at: iso(i),
        })),
      })).reverse(),
    }),
    records: items => items + chats(items),
    updates: 1,
  },
  {
    format: 'deepseek',
    of: items => ({
      'conversations.json': upTo(chats(items), chat => ({
        id: `c${chat}`,
        title: `Loaf ${chat}`,
        inserted_at: iso(chat),
        mapping: {
          root: { id: 'root', parent: null, children: [String(chat * PER_CHAT)], message: null },
          ...Object.fromEntries(
            inChat(items, chat).map(i => {
              const parent = i % PER_CHAT === 0 ? 'root' : String(i - 1)
              const fragments = [{ type: i % 2 ? 'RESPONSE' : 'REQUEST', content: words(i) }]
              return [String(i), { id: String(i), parent, message: { inserted_at: iso(i), fragments } }]
            }),
          ),
        },
      })),
    }),
  },
  {
    format: 'claude-code',
    of: items => ({
      'projects/shop/s.jsonl': lines(
        upTo(items, i => ({
          uuid: `u${i}`,
          parentUuid: null,
          sessionId: 's',
          type: 'user',
          timestamp: iso(i),
          cwd: '/home/ada',
          message: { role: 'user', content: words(i) },
        })),
      ),
    }),
  },
  {
    format: 'codex',
    of: items => ({
      'rollout-1.jsonl': lines([
        { timestamp: iso(0), type: 'session_meta', payload: { id: 'c', cwd: '/home/ada' } },
        ...upTo(items, i => ({
          timestamp: iso(i),
          type: 'response_item',
          payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: words(i) }] },
        })),
      ]),
    }),
  },
  {
    format: 'google-activity',
    layout: 'JSON',
    of: items => ({
      'My Activity/Gemini Apps/MyActivity.json': upTo(items, i => ({
        header: 'Gemini Apps',
        title: `Prompted ${words(i)}`,
        time: iso(i),
      })).reverse(),
    }),
  },
  {
    format: 'google-activity',
    layout: 'HTML',
    of: items => ({
      'My Activity/Search/MyActivity.html': `<html><head><title>My Activity History</title></head><body>${upTo(
        items,
        i =>
          '<div class="outer-cell mdl-cell"><div class="header-cell"><p class="mdl-typography--title">Search<br></p></div>' +
          `<div class="content-cell mdl-cell mdl-typography--body-1">Searched for&nbsp;${words(i)}<br>` +
          `${new Date(millis(i)).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })} UTC<br></div></div>\n`,
      )
        .reverse()
        .join('')}</body></html>`,
    }),
  },
]
