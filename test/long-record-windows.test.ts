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

onEachEngine(
  'EV-1 the first window of a long record is in the passage with the words of the question, though they are not close',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const far = (words: number) => ' pad '.repeat(words)
    const passage = ['roof', 'repairs', 'budget', 'agreed', 'roof', 'budget', 'here'].join(far(40))
    const minutes = Array.from(
      { length: 8 },
      (_, i) =>
        `repairs of the roof ${far(600)} the budget agreed ${far(600)} ${i === 5 ? passage : ''} ${far(600)}`,
    )
    await server.ingest('messages', connection, [message('long', { body: minutes.join('') })])
    const q = encodeURIComponent('which budget was agreed for the repairs of the roof?')
    const { body } = await server.json(`/v1/search?q=${q}&windows=3&window_chars=80`)
    const [first] = body.data[0].match_windows
    const start = minutes.slice(0, 5).join('').length
    assert.ok(first.start_chars > start && first.start_chars < start + (minutes[5] as string).length)
    assert.equal(body.data[0].match_windows.length, 3)
  },
)

onEachEngine(
  'EV-1 the best passage of a long record is shown though other parts of the record contain the words more often',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const words = ['roof', 'repairs', 'budget', 'agreed']
    const scattered = words.map(word => `${`${word} ${word} ${word}`.padEnd(2_047, ' pad')} `).join('')
    const passage = words.join(' pad pad pad ').padEnd(8_192, ' pad')
    const body = [...Array(7).fill(scattered), passage].join('')
    await server.ingest('messages', connection, [message('long', { body })])
    const q = encodeURIComponent('which budget was agreed for the repairs of the roof?')
    const windows = await server.json(`/v1/search?q=${q}&windows=3&window_chars=200`)
    const [first] = windows.body.data[0].match_windows
    assert.match(first.text, /roof .*repairs .*budget .*agreed/)
    assert.equal(first.start_chars, body.indexOf(passage))
  },
)
