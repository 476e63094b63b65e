import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

interface Answer {
  data: { record_key: string }[]
  meta: { warnings: { code: string }[] }
}

const ids = (hits: Answer['data']) => hits.map(hit => hit.record_key)
const codesOf = ({ meta }: Answer) =>
  meta.warnings.map(({ code }) => code).filter(code => code === 'phrase_as_words')

onEachEngine('EV-8 quotation marks and a minus count only where they are meant', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('late', { body: 'The trains were running late again, use rebase -i' }),
    message('harbour', { body: 'Hedda said that the harbour freezes in January' }),
    message('other', { body: 'nothing of it' }),
  ])
  const asked = async (q: string, more = '') => {
    const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`)
    return [ids(body.data), codesOf(body)]
  }
  const loose = ['phrase_as_words']
  assert.deepEqual(await asked('"running late"'), [['late'], []])
  assert.deepEqual(await asked('"late running"'), [['late'], loose])
  assert.deepEqual(await asked('"late running" harbour', '&sort=newest'), [[], loose])
  assert.deepEqual(await asked('"harbour January"', '&sort=newest'), [['harbour'], loose])
  assert.deepEqual(await asked('"harbour January" -hedda'), [[], loose])
  assert.deepEqual(await asked('"What did Hedda say about the harbour?"'), [['harbour'], loose])
  assert.deepEqual(await asked('"nowhere to be found"'), [[], loose])
  assert.deepEqual(await asked('rebase -i'), [['late'], []])
  const within = `&record=${encodeURIComponent(`${connection}/messages:late`)}`
  assert.deepEqual(await asked('"late running"', within), [['late', 'late', 'late'], loose])
  assert.deepEqual(await asked('"running late"', within), [['late'], []])

  const lines = Array.from({ length: 5 }, (_, i) =>
    message(`p${i}`, { body: `pages late${' pad'.repeat(i)}` }),
  )
  await server.ingest('messages', connection, lines)
  const walked: string[] = []
  let cursor = ''
  do {
    const { body } = await server.json(`/v1/search?q=${encodeURIComponent('"late pages"')}&limit=2${cursor}`)
    assert.deepEqual(codesOf(body), loose)
    walked.push(...ids(body.data))
    cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : ''
  } while (cursor)
  assert.deepEqual(walked, ['p0', 'p1', 'p2', 'p3', 'p4', 'late'])
})

onEachEngine(
  'EV-1 the records with an asked title, and what an asked person wrote, come first',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const pad = 'and more words of the letter '.repeat(4)
    await server.ingest('messages', connection, [
      message('title', { subject: 'HEAD is not that special', body: pad }),
      message('reply', { subject: 'Re: HEAD is not that special', body: pad }),
      message('other', { subject: 'Special head', body: 'HEAD special HEAD special HEAD special' }),
      message('wrote', { from: 'Jeff King <peff@example.org>', body: pad.repeat(5) }),
      message('quotes', { body: 'Jeff King wrote, and Jeff King said, what Jeff King thinks' }),
      message('hidden', {
        subject: 'x',
        body: 'HEAD special '.repeat(9),
        secret: 'HEAD is not that special',
      }),
    ])
    const found = async (q: string, more = '', token = server.ownerToken) =>
      ids((await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`, { token })).body.data)
    assert.deepEqual((await found('HEAD is not that special')).slice(0, 2), ['title', 'reply'])
    assert.deepEqual((await found('Jeff King')).slice(0, 2), ['wrote', 'quotes'])
    const token = await server.grant({ connections: [connection], fields: ['id', 'body', 'received_at'] })
    assert.deepEqual(await found('HEAD is not that special', '', token), ['hidden', 'other'])
    assert.deepEqual(await found('Jeff King', '', token), ['quotes'])
  },
)
