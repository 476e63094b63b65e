import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const PAD = 'pad '.repeat(60)
const PERSON = 'Odd Halvorsen <odd@example.org>'

onEachEngine(
  'EV-1 the window of a hit is where its rarest words are, and in a text rather than in a name',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const common = Array.from({ length: 12 }, (_, i) =>
      message(`common${i}`, { subject: 'minutes', body: `he says the plan is late ${i}` }),
    )
    await server.ingest('messages', connection, [
      ...common,
      message('named', { from: PERSON, body: `${PAD} the heron returned` }),
      message('mentioned', { from: PERSON, body: `${PAD} Odd Halvorsen wrote this` }),
      message('rare', { body: `he says the plan is late ${PAD} a kingfisher ${PAD}` }),
      message('quoted', { body: `osprey, cormorant ${PAD} the plan is late again ${PAD}` }),
    ])
    const windowsOf = async (q: string) => {
      const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}&windows=1&window_chars=80`)
      const hits: { record_key: string; match_windows: { field_path: string; text: string }[] }[] = body.data
      return new Map(hits.map(({ record_key, match_windows: [first] }) => [record_key, first]))
    }
    const rare = (await windowsOf('who says the plan is late about a kingfisher')).get('rare')
    assert.match(rare?.text ?? '', /kingfisher/)
    const quoted = (await windowsOf('osprey cormorant "plan is late"')).get('quoted')
    assert.match(quoted?.text ?? '', /plan is late again/)
    const named = await windowsOf('Odd Halvorsen heron')
    assert.deepEqual(
      ['named', 'mentioned'].map(id => named.get(id)?.field_path),
      ['body', 'body'],
    )
    const only = (await windowsOf('Halvorsen')).get('named')
    assert.equal(only?.field_path, 'from', 'a name is shown if nothing else matches')
  },
)
