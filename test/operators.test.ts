import assert from 'node:assert/strict'
import { type Answer, type Engine, onEachEngine, TestServer } from './engines.ts'
import { byTime, source, stream } from './mailbox.ts'
import { processorTime } from './processor-time.ts'

const TIME = { type: ['string', 'null'], format: 'date-time', x_pdpp_role: 'event-time' }
const TEXT = { type: ['string', 'null'] }

/** A stream whose fields have every role, one with only a time, and one without a time. */
const LETTERS = {
  ...source('letters'),
  streams: [
    stream(
      'letters',
      {
        text: { ...TEXT, x_pdpp_role: 'primary-text' },
        writer: { ...TEXT, x_pdpp_role: 'actor' },
        readers: { type: 'array', x_pdpp_role: 'recipient' },
        box: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
        tags: { type: 'array', x_pdpp_role: 'label' },
        files: { type: 'array', x_pdpp_role: 'attachment' },
        at: TIME,
      },
      {
        ...byTime('at'),
        query: {
          search: { lexical_fields: ['text'] },
          aggregations: { count: true, group_by: ['writer'], group_by_time: ['at'] },
        },
      },
    ),
    stream(
      'walks',
      { text: TEXT, at: TIME },
      { cursor_field: 'at', query: { search: { lexical_fields: ['text'] } } },
    ),
    stream('scraps', { text: TEXT }, { query: { search: { lexical_fields: ['text'] } } }),
  ],
}

const LETTER_LINES = [
  ['a', 'Jürgen Wüst <jw@example.org>', ['Hedda Ruusk'], 'Harbour', [], '2015-08-01T23:30:00Z'],
  ['b', 'Hedda Ruusk', ['jw@example.org', 'Opa'], 'Harbour', [{ name: 'plan.pdf' }], '2015-08-02T10:00:00Z'],
  [
    'c',
    '山田太郎',
    [{ name: 'Hedda', address: 'h@x.org' }],
    'Work',
    [{ mime_type: 'image/png' }],
    '2016-01-01T00:00:00Z',
  ],
].map(([id, writer, readers, box, files, at]) => ({
  data: { id, text: `engine ${id}`, writer, readers, box, tags: [`tag ${id}`], files, at },
}))

async function world(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(LETTERS)
  await server.ingest('letters', connection, LETTER_LINES)
  await server.ingest('walks', connection, [
    { data: { id: 'w', text: 'engine w', at: '2015-08-02T12:00:00Z' } },
  ])
  await server.ingest('scraps', connection, [{ data: { id: 's', text: 'engine s' } }])
  return { server, connection }
}

// biome-ignore lint/suspicious/noExplicitAny: records and hits name their ids differently
const idsOf = ({ body }: Answer) => body.data.map((each: any) => each.record_key ?? each.id)
const notesOf = ({ body }: Answer) =>
  body.meta.warnings.map(
    ({ code, param, detail }: { code: string; param: string; detail: { streams: number } }) => [
      code,
      param,
      detail?.streams,
    ],
  )

onEachEngine(
  'AN-3: a person is found by a name, an address or a part of either, folded and by words',
  async engine => {
    const { server } = await world(engine)
    await using _ = server
    const records = async (query: string) =>
      idsOf(await server.json(`/v1/streams/letters/records?order=asc&${query}`))
    assert.deepEqual(await records('from=jurgen'), ['a'])
    assert.deepEqual(await records('from=JW@example.org'), ['a'])
    assert.deepEqual(await records('person=jw@example.org'), ['a', 'b'])
    assert.deepEqual(await records('to=hedda'), ['a', 'c'])
    assert.deepEqual(await records('to=hedda&to=h@x.org'), ['c'])
    assert.deepEqual(await records('with=ruusk%20hedda'), ['a', 'b'])
    assert.deepEqual(await records('from=hed'), [], 'a part of a word is not a word')
    assert.deepEqual(await records('to=opa%20jw'), [], 'all words must be in one value')
    assert.deepEqual(await records('from=%E5%B1%B1%E7%94%B0'), ['c'], 'a script without spaces')
    assert.deepEqual(await records('in=harbour'), ['a', 'b'])
    assert.deepEqual(await records('in=tag%20c'), ['c'])
    assert.deepEqual(await records('has=attachment'), ['b', 'c'])
    assert.deepEqual(await records('type=pdf'), ['b'])
    assert.deepEqual(await records('type=image'), ['c'])
    assert.deepEqual(await records('since=2015-08-02&until=2016-01-01'), ['b'])
    assert.deepEqual(await records('from=jurgen%20OR%20hedda'), ['a', 'b'], 'one of several')
    assert.deepEqual(await records('from=ruusk%20OR%20%E5%B1%B1%E7%94%B0'), ['b', 'c'])
    assert.deepEqual(await records('in=harbour%20OR%20work&type=png%20OR%20gif'), ['c'])
    for (const query of ['from=%20', 'has=links', 'from=hedda%20OR%20me', 'from=hedda%20OR%20%20'])
      assert.equal(
        (await server.json(`/v1/streams/letters/records?${query}`)).body.error.code,
        'invalid_request',
      )
    const long = `a${'+'.repeat(100_000)}b`
    const spent = processorTime()
    for (const operator of ['from', 'to', 'with', 'person', 'in', 'type']) {
      const { status, body } = await server.json(`/v1/records?${operator}=${long}`)
      assert.equal(status, 400)
      assert.equal(body.error.message, `${operator} has at most 500 characters.`)
    }
    assert.ok(spent() < 2_000, `${spent()} ms`)
    const pdf = await server.json('/v1/streams/letters/records?has=pdf')
    assert.match(pdf.body.error.message, /use type, such as type:pdf/)
    const figures = await server.json(
      '/v1/streams/letters/aggregate?group_by=writer&to=hedda&until=2016-01-01',
    )
    assert.deepEqual(figures.body.groups, [{ key: 'Jürgen Wüst <jw@example.org>', count: 1 }])
  },
)

onEachEngine(
  'AN-4: a query has operators; those alone list what they leave, the newest first',
  async engine => {
    const { server } = await world(engine)
    await using _ = server
    const search = (q: string, more = '') => server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`)
    assert.deepEqual(idsOf(await search('engine from:hedda')), ['b'])
    assert.deepEqual(idsOf(await search('engine', '&from=hedda')), ['b'])
    assert.deepEqual(idsOf(await search('engine to:"hedda ruusk"')), ['a'])
    assert.deepEqual(idsOf(await search('in:harbour')), ['b', 'a'])
    assert.deepEqual(idsOf(await search('*', '&in=harbour&sort=oldest')), ['a', 'b'])
    const unexcluded = await search('in:harbour -engine')
    assert.deepEqual(notesOf(unexcluded)[0], ['exclusions_ignored', 'q', undefined])
    const [harbour] = (await search('in:harbour')).body.data
    assert.deepEqual([harbour.title, harbour.occurred_at], ['Harbour', '2015-08-02T10:00:00Z'])
    assert.deepEqual(idsOf(await search('engine type:pdf')), ['b'])
    assert.deepEqual(idsOf(await search('FROM:hedda after:2015 before:2016')), ['b'])
    assert.deepEqual(idsOf(await search('from:hedda OR from:jürgen')), ['b', 'a'])
    assert.deepEqual(idsOf(await search('engine sender:(jürgen OR hedda) in:harbour')).toSorted(), ['a', 'b'])
    assert.deepEqual(idsOf(await search('from:hedda from:jürgen')), [])
    assert.deepEqual(idsOf(await search('cc:opa')), ['b'])
    const foreign = await search('engine a is:unread source:mail')
    assert.deepEqual(notesOf(foreign), [['operator_unknown', 'q', undefined]])
    assert.match(foreign.body.meta.warnings[0].message, /“is:unread”, “source:mail”\. To search one source/)
    assert.ok(idsOf(foreign).includes('a'))
    assert.deepEqual(idsOf(await search('on:2015-08-02')), ['w', 'b'])
    assert.deepEqual(idsOf(await search('on:2015-08-02', '&time_zone=Europe/Berlin')), ['w', 'b', 'a'])
    assert.deepEqual(idsOf(await search('since:2015-08-02 until:2015')), ['w', 'b'])
    const first = await search('on:2015', '&limit=2')
    const next = await search('on:2015', `&limit=2&cursor=${first.body.next_cursor}`)
    assert.deepEqual([idsOf(first), idsOf(next)], [['w', 'b'], ['a']])
    assert.deepEqual(notesOf(await search('engine from:hedda')), [['streams_left_out', 'from', 2]])
    const inside = await search('engine from:x', '&record=letters:a')
    assert.deepEqual([idsOf(inside), inside.body.meta.warnings[0].code], [['a'], 'operators_ignored'])
    await server.connect(LETTERS)
    assert.deepEqual(
      notesOf(await search('engine from:hedda')),
      [['streams_left_out', 'from', 2]],
      'streams of another connection are the same streams',
    )
    assert.equal((await search('on:whenever')).status, 400)
    assert.equal((await search('engine', '&time_zone=Nowhere')).status, 400)
  },
)

onEachEngine('AN-5: the records of all streams come by time', async engine => {
  const { server, connection } = await world(engine)
  await using _ = server
  const list = (query = '') => server.json(`/v1/records?${query}`)
  const all = await list('count=exact')
  assert.deepEqual([idsOf(all), all.body.meta.count], [['c', 'w', 'b', 'a'], 4])
  assert.deepEqual(notesOf(all), [['streams_left_out', 'order', 1]])
  assert.deepEqual(idsOf(await list('order=asc&person=hedda')), ['a', 'b', 'c'])
  assert.deepEqual(idsOf(await list('since=2015-08-02&until=2015-08-03')), ['w', 'b'])
  assert.deepEqual(idsOf(await list(`connection_id=${connection}&connector=letters&streams=walks`)), ['w'])
  assert.equal((await list('connector=mail')).body.error.code, 'connection_not_found')
  const pages: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await list(`limit=1${cursor}`)
    pages.push(body.data[0].id)
    if (!body.has_more) break
    cursor = `&cursor=${body.next_cursor}`
  }
  assert.deepEqual(pages, ['c', 'w', 'b', 'a'])
})

onEachEngine('AN-6: operators look at granted fields and visible records only', async engine => {
  const { server, connection } = await world(engine)
  await using _ = server
  const grant = (fields: string[], more = {}) =>
    server.grant({ connections: [connection], streams: ['letters'], fields, ...more })
  const narrow = await grant(['id', 'text', 'writer', 'at'])
  const ask = (path: string, token: string) => server.json(path, { token })
  assert.deepEqual(idsOf(await ask('/v1/streams/letters/records?person=hedda', narrow)), ['b'])
  for (const path of [
    '/v1/streams/letters/records?to=hedda',
    '/v1/streams/letters/aggregate?to=hedda',
    '/v1/search?q=engine&to=hedda',
    '/v1/search?q=to:hedda',
    '/v1/records?in=harbour',
  ])
    assert.equal((await ask(path, narrow)).body.error.code, 'field_not_granted', path)
  const timeless = await grant(['id', 'text', 'writer'])
  assert.equal((await ask('/v1/records?since=2015', timeless)).status, 400)
  assert.equal((await ask('/v1/records?since=2015-01-01', timeless)).body.error.code, 'field_not_granted')
  const late = await grant(['id', 'text', 'readers', 'at'], { since: '2015-08-02' })
  assert.deepEqual(idsOf(await ask('/v1/search?q=to:hedda', late)), ['c'])
})
