import assert from 'node:assert/strict'
import { CHAT, line } from './chat.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { source, stream } from './mailbox.ts'

const TEXT = { type: 'string' }
const NOTES = {
  ...source('notes'),
  streams: [
    stream(
      'notes',
      {
        title: { ...TEXT, x_pdpp_role: 'primary-title' },
        text: { ...TEXT, x_pdpp_role: 'primary-text' },
        folder: { ...TEXT, x_pdpp_role: 'place' },
        at: { ...TEXT, format: 'date-time', x_pdpp_role: 'event-time' },
      },
      {
        cursor_field: 'at',
        schema: { x_pdpp_conversation: { key: 'folder', order: ['at'] } },
        query: { search: { lexical_fields: ['title', 'text'] } },
      },
    ),
  ],
}

onEachEngine('EV-1 only short messages of people get a share of the scores around them', async engine => {
  await using server = await TestServer.start(engine)
  const chats = await server.connect(CHAT)
  const notes = await server.connect(NOTES)
  const pad = 'and the rest of a long letter about other things that happened there '.repeat(12)
  await server.ingest('chat', chats, [
    ...[1, 2, 3, 4].map(n => line(`quoting${n}`, n, { text: `> the sandwich package\n${pad}` })),
    ...[1, 2].map(n => line(`short${n}`, n, { thread: 'u', text: 'a lantern, never lit' })),
  ])
  const note = (id: string, minute: number, text: string) => {
    const { data } = line(id, minute)
    return { data: { id, title: id, text, folder: 'docs', at: data.at } }
  }
  await server.ingest(
    'notes',
    notes,
    [1, 2, 3, 4].map(n => note(`note${n}`, n, 'enable the plugin')),
  )
  const shared = async (q: string) => {
    const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}&explain=true`)
    return body.data.map(({ explanation }: { explanation: { by: string; points: number }[] }) => {
      const points = (by: string) => explanation.find(each => each.by === by)?.points ?? 0
      return points('neighbours') / points('words')
    })
  }
  for (const share of await shared('sandwich')) assert.ok(share > 0 && share < 0.25, `${share}`)
  for (const share of await shared('lantern')) assert.ok(share > 0.25, `${share}`)
  assert.deepEqual(await shared('plugin'), [0, 0, 0, 0])
})

onEachEngine(
  'EV-1 RS-5 a message that begins with a name gets a share of what that person wrote',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(CHAT)
    const group = (thread: string, texts: readonly [who: string, text: string][]) =>
      texts.map(([who, text], n) => line(`${thread}${n}`, n, { thread, who, text }))
    const others = [1, 2, 3].map((n): [string, string] => ['Bob', `nobody knows ${n}`])
    const asked: [string, string] = ['Ada Lovelace', 'who lends me a ladder for the roof?']
    await server.ingest('chat', connection, [
      ...group('named', [asked, ...others, ['Eve', 'Ada, a ladder is in the shed']]),
      ...group('marked', [asked, ...others, ['Eve', '@ada Lovelace a ladder is in the shed']]),
      ...group('unlike', [asked, ...others, ['Eve', 'Adam, a ladder is in the shed']]),
      ...group('own', [asked, ...others, ['Ada Lovelace', 'Ada, a ladder is in the shed']]),
      ...group('late', [asked, ...others]),
      line('late4', 61, { thread: 'late', who: 'Eve', text: 'Ada, a ladder is in the shed' }),
    ])
    const best = async (token = server.ownerToken) => {
      const { body } = await server.json('/v1/search?q=ladder+roof&limit=20', { token })
      const keys: string[] = body.data.map(({ record_key }: { record_key: string }) => record_key)
      return keys.filter(key => key.endsWith('4')).slice(0, 2)
    }
    assert.deepEqual((await best()).sort(), ['marked4', 'named4'])
    const fields = ['id', 'text', 'thread', 'channel', 'shown', 'at']
    const unnamed = await server.grant({ connections: [connection], fields })
    // All replies are equal, so the newest is first.
    assert.equal((await best(unnamed))[0], 'late4')
  },
)
