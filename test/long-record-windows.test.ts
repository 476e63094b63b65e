import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

onEachEngine(
  'EV-1 the first window of a long record is where its rarest word is, not where its common words meet',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const pad = 'pad '.repeat(1_000)
    const minutes = Array.from(
      { length: 8 },
      (_, i) => `the plan of the product ${pad}${i === 4 ? 'a heron' : ''} ${pad}`,
    )
    await server.ingest('messages', connection, [message('long', { body: minutes.join('') })])
    const windowsOf = async (q: string) => {
      const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}&windows=3&window_chars=80`)
      return body.data[0].match_windows.map(({ text }: { text: string }) => text)
    }
    const [first, ...others] = await windowsOf('what does the product plan say about a heron?')
    assert.match(first, /heron/)
    for (const text of others) assert.match(text, /plan of the product/)
  },
)
