import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

onEachEngine(
  'EV-1 in a query of two or three words, the records that contain all of them come first',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const pad = 'pad '.repeat(600)
    await server.ingest('messages', connection, [
      message('both', { body: `the lantern was paid for ${pad} and the kettle whistled` }),
      message('lantern', { subject: 'lantern', body: 'lantern lantern lantern' }),
      message('kettle', { subject: 'a kettle', body: 'kettle kettle' }),
      message('june', { body: 'a lantern', received_at: '2023-06-05T10:00:00Z' }),
      message('talk of june', {
        body: `lantern in June ${pad}`,
        received_at: '2023-01-05T10:00:00Z',
      }),
    ])
    const asked = async (q: string) => {
      const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}`)
      return body.data.map((hit: { record_key: string }) => hit.record_key)
    }
    assert.equal((await asked('lantern kettle'))[0], 'both')
    assert.equal((await asked('lantern kettle whistled'))[0], 'both')
    // With stop words it is a sentence, and a record that lacks one of its words may answer it.
    assert.notEqual((await asked('was the lantern a kettle?'))[0], 'both')
    // A date is mostly the time of the record.
    const dated = await asked('lantern in June')
    assert.ok(dated.indexOf('june') < dated.indexOf('talk of june'), dated.join(', '))
  },
)
