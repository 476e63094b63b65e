import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHAT, line } from './chat.ts'
import { type Circumstances, footnote, output, placeFlags } from './command-line.ts'
import { type Engine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const ESCAPE = '\u001b'

/** Two mailboxes with the same record id, a long text, and a record with terminal escape sequences. */
async function filled(engine: Engine) {
  const server = await TestServer.start(engine)
  const work = await server.connect(MAILBOX, 'Work mail')
  const home = await server.connect(MAILBOX, 'Home mail')
  const body = `${'The garden was quiet. '.repeat(1_000)}Then the heron landed.${' And slept.'.repeat(1_000)}`
  await server.ingest('messages', work, [
    message('m1', { subject: 'Long story', body, size: 10 }),
    message('m2', {
      subject: `Steer ${ESCAPE}[31mred`,
      body: `plain ${ESCAPE}]0;owned\u0007 heron`,
      received_at: '2026-03-01T00:00:00Z',
    }),
  ])
  const large = JSON.stringify(message('m3', { received_at: '2026-04-01T00:00:01Z' }))
  await server.ingest('messages', work, large.replace('"id"', '"size":9007199254740993,"id"'))
  await server.ingest('messages', home, [
    message('m1', { subject: 'Other', received_at: '2025-01-01T00:00:00Z', size: null, parts: [] }),
  ])
  const flags = placeFlags(server.location)
  const run = (args: string[], around?: Circumstances) => footnote([...args, ...flags], around)
  const out = (args: string[], around?: Circumstances) => output([...args, ...flags], around)
  return { server, work, home, body, run, out, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

onEitherEngine("footnote search shows evidence, and --json prints the server's response", async engine => {
  await using place = await filled(engine)
  const found = await place.out(['search', 'heron', 'landed'])
  assert.match(
    found,
    new RegExp(
      `^${place.work}/messages:m1\n  Long story · ada@example.org · Work mail · 2026-01-02T03:04:05Z\n`,
    ),
  )
  assert.match(found, /body 22009-22021 of \d+: ….*the heron landed\..*…\n/)
  assert.match(found, /http:\/\/127\.0\.0\.1:7007\/.*m1/)

  const ids = async (...args: string[]): Promise<string[]> =>
    JSON.parse(await place.out(['search', 'heron', '--json', ...args])).data.map(
      (hit: { record_key: string }) => hit.record_key,
    )
  assert.deepEqual(await ids('--sort', 'newest'), ['m2', 'm1'])
  assert.deepEqual(await ids('--sort', 'oldest'), ['m1', 'm2'])
  assert.deepEqual(await ids('--person', 'nobody'), [])

  const json = JSON.parse(await place.out(['search', 'heron', 'landed', '--json', '--limit', '1']))
  const answer = await place.server.json('/v1/search?q=heron%20landed&limit=1')
  assert.deepEqual(json.data[0].match_windows, answer.body.data[0].match_windows)
  assert.deepEqual(Object.keys(json), Object.keys(answer.body))

  const more = await place
    .out(['search', 'heron', '--limit', '1', '--cursor', json.next_cursor])
    .catch(e => e)
  assert.ok(more instanceof Error, 'a cursor of another query is refused')
  const next = await place.out(['search', 'heron', 'landed', '--limit', '1', '--cursor', json.next_cursor])
  assert.match(next, /messages:m2/)

  const within = await place.out(['search', 'slept', '--within', `${place.work}/messages:m1`, '--limit', '3'])
  assert.equal(within.match(/messages:m1\n/g)?.length, 3)
  const filtered = ['search', 'm1', '--stream', 'messages', '--filter', 'size>=11', '--json']
  assert.deepEqual(JSON.parse(await place.out(filtered)).data, [])
  const unknown = await place.run(['search', 'heron', '--stream', 'mesages'])
  assert.equal(unknown.code, 1)
  assert.match(
    unknown.stderr,
    /^Error: There is no stream mesages\. There are messages, .*\nTry: .* schema\n$/,
  )
  const nothing = await place.run(['search', 'unicorn'])
  assert.deepEqual(
    [nothing.code, nothing.stdout, nothing.stderr],
    [0, '', 'No readable record contains “unicorn”.\nNothing was found.\n'],
  )
})

test('footnote read shows exact windows, and a record with its long texts cut', async () => {
  await using place = await filled('sqlite')
  const id = `${place.work}/messages:m1`
  const window = await place.out(['read', id, 'body', '--offset', '22005', '--limit', '20'])
  assert.equal(window, place.body.slice(22005, 22025))
  const first = await place.run(['read', id, 'body'])
  assert.equal(first.stdout, place.body.slice(0, 4096))
  const cursor = /Next: --cursor (\S+)/.exec(first.stderr)?.[1] ?? assert.fail(first.stderr)
  assert.equal(await place.out(['read', id, 'body', '--cursor', cursor]), place.body.slice(4096, 8192))
  const around = ['read', id, 'body', '--q', 'HERON', '--before', '4', '--after', '7']
  assert.equal(await place.out(around), 'the heron landed')
  const json = JSON.parse(await place.out([...around, '--json']))
  assert.deepEqual([json.object, json.window.match.q], ['field_window', 'HERON'])

  const record = await place.out(['read', id])
  const [link = ''] = /http:\S+\/r\/\S+/.exec(record) ?? []
  assert.equal(await place.out(['read', link]), record)
  assert.equal(
    await place.out(['read', `${link}?f=body&at=1-9`, 'body', '--limit', '9']),
    place.body.slice(0, 9),
  )
  assert.equal(await place.out(['conversation', link]), await place.out(['conversation', id]))
  assert.match(record, /subject +Long story\n/)
  assert.match(record, new RegExp(`body has ${place.body.length} characters`))

  const ambiguous = await place.run(['read', 'messages:m1', 'subject'])
  assert.equal(ambiguous.code, 1)
  assert.match(ambiguous.stderr, new RegExp(`Try: .*--connection ${place.home} \\(Home mail\\)`))
  assert.equal(await place.out(['read', 'messages:m1', 'subject', '--connection', place.home]), 'Other')
  for (const [args, code] of [
    [['read'], 64],
    [['read', id, 'body', 'more'], 64],
    [['read', id, '--offset', '3'], 64],
    [['read', id, 'body', '--connection', place.home], 64],
    [['read', 'nonsense', 'body'], 64],
    [['read', id, 'size'], 1],
    [['read', id, 'body', '--q', 'unicorn'], 1],
    [['read', id, 'body', '--offset', 'x'], 64],
  ] as const) {
    const refused = await place.run([...args])
    assert.deepEqual([refused.code, refused.stdout], [code, ''], args.join(' '))
    assert.match(refused.stderr, /^Error: .+\nTry: .+\n$/, args.join(' '))
  }
})

test('footnote records lists a stream by time, filter, order and field', async () => {
  await using place = await filled('sqlite')
  const ids = async (...args: string[]) =>
    JSON.parse(await place.out(['records', 'messages', '--json', ...args])).data.map(
      (record: { id: string; connection_id: string }) => `${record.connection_id}/${record.id}`,
    )
  const [m3, m2, m1, other] = [`${place.work}/m3`, `${place.work}/m2`, `${place.work}/m1`, `${place.home}/m1`]
  assert.deepEqual(await ids(), [m3, m2, m1, other])
  assert.deepEqual(await ids('--order', 'asc', '--limit', '2'), [other, m1])
  assert.deepEqual(await ids('--since', '2026-01', '--until', '2026-02-28'), [m1])
  assert.deepEqual(await ids('--filter', 'size>10'), [m3])
  assert.deepEqual(await ids('--filter', 'from=ada@example.org', '--connection', place.home), [other])
  const page = await place.run(['records', 'messages', '--fields', 'subject,size', '--limit', '1', '--count'])
  assert.equal(page.code, 0)
  assert.match(
    page.stdout,
    /messages:m3\n {2}Work mail\n {2}subject {2}Subject m3\n {2}size {5}9007199254740993\n {2}id {7}m3\n/,
  )
  assert.match(page.stderr, /4 records in total\.\n.*--cursor \S+\n$/)
  for (const args of [
    ['--filter', 'size>1'],
    ['a', 'b'],
    ['messages', '--filter', 'size'],
  ]) {
    assert.equal((await place.run(['records', ...args])).code, 64, args.join(' '))
  }
  const unknown = await place.run(['records', 'nothing'])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /\nTry: footnote --data-dir \S+ schema\n/)
})

test('AN-42 footnote aggregate counts by words, field, time and person', async () => {
  await using place = await filled('sqlite')
  const count = (...args: string[]) => place.out(['aggregate', 'messages', ...args])
  assert.equal(await count(), '4\n')
  assert.equal(await count('--query', 'heron'), '2\n')
  assert.equal(await count('--query', 'heron', '--since', '2026-02'), '1\n')
  assert.equal(await count('--until', '2025'), '1\n')
  assert.equal(await count('--connection', 'Home mail'), '1\n')
  const march = await place.run(['aggregate', 'messages', '--since', '2026-03', '--until', '2026-03'])
  assert.deepEqual([march.stdout, march.stderr], ['1\n', 'Time: from 2026-03-01, before 2026-04-01 (UTC).\n'])
  assert.equal(await count('--person', 'nobody'), '0\n')
  assert.equal(await count('--metric', 'max', '--field', 'size'), '9007199254740993\n')
  assert.equal(await count('--by', 'from'), 'ada@example.org  4\n')
  const years = await place.run(['aggregate', 'messages', '--per', 'year', '--limit', '1', '--split', 'from'])
  assert.equal(years.stdout, '2026  3  ada@example.org 3\n')
  for (const stream of [['messages'], []]) {
    const misspelt = await place.run(['aggregate', ...stream, '--per', 'mont'])
    assert.match(misspelt.stderr, /--per is one of minute, .*, year\./)
  }
  assert.match(years.stderr, /1 older group with 1 record left out; --limit shows up to 100 groups/)
  const split = ['--per', 'year', '--split', 'from']
  for (const by of ['sender', 'author', 'person']) {
    assert.equal(await count('--by', by), 'ada@example.org  4\n', by)
    assert.equal(await count('--per', 'year', '--by', by), await count(...split), by)
  }
  assert.equal(await count('--by', 'year'), await count('--per', 'year'))
  const json = JSON.parse(await count('--per', 'month', '--json'))
  assert.deepEqual(json.groups[0], { key: '2026-04', count: 1 })
  assert.equal(json.connections.length, 2)
})

test('AN-42 footnote aggregate without a stream counts them all', async () => {
  await using place = await filled('sqlite')
  const all = await place.run(['aggregate', '--query', 'heron'])
  assert.deepEqual(
    [all.code, all.stdout],
    [0, await place.out(['aggregate', 'messages', '--query', 'heron'])],
  )
  assert.match(all.stderr, /^Not counted: notes \("Stream notes declares no aggregations\."\)\.$/m)
  assert.equal(await place.out(['aggregate', '--by', 'sender']), 'ada@example.org  4\n')
  assert.equal(await place.out(['aggregate', '--connection', 'Home mail']), '1\n')
  const years = await place.run(['aggregate', '--per', 'year', '--limit', '1'])
  assert.equal(years.stdout, '2026  3\n')
  assert.match(years.stderr, /1 older group with 1 record left out/)
  const json = JSON.parse(await place.out(['aggregate', '--json']))
  assert.deepEqual([json.value, json.streams], [4, [{ stream: 'messages', record_count: 4 }]])
  for (const [needing, ...args] of [
    ['--filter', '--filter', 'from=ada'],
    ['--split', '--split', 'from'],
    ['--metric max', '--metric', 'max', '--field', 'size'],
    ['--by with --per', '--by', 'from', '--per', 'month'],
  ]) {
    const { code, stderr } = await place.run(['aggregate', ...args])
    assert.deepEqual([code, stderr.split('\n')[0]], [64, `Error: ${needing} needs a stream.`])
  }
  assert.equal((await place.run(['aggregate', '--by', 'from', '--limit', '0'])).code, 64)
  assert.equal((await place.run(['aggregate', 'messages', 'notes'])).code, 64)
})

onEitherEngine('footnote search shows the start of a text that only operators found', async engine => {
  await using server = await TestServer.start(engine)
  const chat = await server.connect(CHAT, 'Harbour')
  const long = `The ferry ${'leaves at noon and '.repeat(9)}returns.`
  await server.ingest('chat', chat, [line('a', 1, { text: long }), line('b', 2, { text: 'Yes.' })])
  const found = await output(['search', 'from:ada', ...placeFlags(server.location)])
  assert.match(found, /chat:b\n {2}Yes\. · Ada .*\n {2}http/)
  assert.match(found, /chat:a\n {2}The ferry .*… · Ada .*\n {2}text: The ferry leaves .*returns\.\n/)
})

onEitherEngine(
  "AN-41 the command line accepts people, names, and dates in the owner's zone",
  async engine => {
    await using place = await filled(engine)
    const zone = { env: { FOOTNOTE_TIME_ZONE: 'Asia/Tokyo' } }
    const ids = async (args: string[], around?: Circumstances) => {
      const { code, stdout, stderr } = await place.run([...args, '--json'], around)
      assert.equal(code, 0, stderr)
      const found = JSON.parse(stdout).data as { id?: string; record_key?: string }[]
      return { ids: found.map(({ id, record_key }) => id ?? record_key), stderr }
    }
    assert.deepEqual((await ids(['records'])).ids, ['m3', 'm2', 'm1', 'm1'])
    assert.deepEqual((await ids(['records', '--person', 'ADA', '--limit', '2'])).ids, ['m3', 'm2'])
    assert.deepEqual((await ids(['records', '--person', 'nobody'])).ids, [])
    const march = await ids(['records', '--since', '2026-03', '--until', '2026-03'])
    assert.deepEqual(march.ids, ['m2'])
    assert.match(march.stderr, /^Time: from 2026-03-01, before 2026-04-01 \(UTC\)\.\n/)
    const tokyo = await ids(['records', '--since', '2026-03-02', '--until', '2026-04-01'], zone)
    assert.deepEqual(tokyo.ids, ['m3'], 'midnight in London is nine in the morning in Tokyo')
    const shown = await place.out(['records', '--person', 'ada', '--limit', '1'], zone)
    assert.match(shown, /\n {2}2026-04-01T09:00:01\+09:00 · ada@example\.org · Work mail\n/)
    assert.deepEqual((await ids(['records', 'messages', '--connection', 'home MAIL'])).ids, ['m1'])
    assert.doesNotMatch(await place.out(['records', '--connection', 'home MAIL']), /size|parts/, 'no value')
    const both = ['--connection', 'Home mail', '--connection', place.work, '--connector', 'mailbox']
    assert.equal((await ids(['records', ...both])).ids.length, 4)
    assert.deepEqual((await ids(['search', 'heron', '--connection', 'Work mail', '--sort', 'newest'])).ids, [
      'm2',
      'm1',
    ])
    const operator = await ids(['search', 'from:ada heron on:2026-03-01'], zone)
    assert.deepEqual(operator.ids, ['m2'])
    assert.match(operator.stderr, /^Time: from 2026-03-01, before 2026-03-02 \(Asia\/Tokyo\)\./)
    assert.equal(await place.out(['read', 'messages:m1', 'subject', '--connection', 'Home mail']), 'Other')
    assert.match(await place.out(['schema', 'messages', '--connection', 'Home mail']), /Home mail/)
    const wrong = await place.run(['records', '--since', 'someday'])
    assert.equal(wrong.code, 64)
    assert.match(wrong.stderr, /"someday" is not a time\. Examples: 2015, 2015-08/)
    const unknown = await place.run(['search', 'heron', '--connection', 'Office mail'])
    assert.match(
      unknown.stderr,
      /No source has the id or name Office mail\. Known: "Work mail", "Home mail"\./,
    )
    const notes = {
      ...MAILBOX,
      source: { ...MAILBOX.source, id: 'https://example.org/notes' },
      streams: MAILBOX.streams.filter(({ name }) => name === 'notes'),
    }
    await place.server.connect(notes, 'Notes')
    const timeless = await place.run(['records', '--connection', 'Notes'])
    assert.match(
      timeless.stderr,
      /No records\.\nTo list records without a time, name their stream: .* records STREAM/,
    )
    await place.server.connect(MAILBOX, 'Home mail')
    const twice = await place.run(['records', '--connection', 'Home mail'])
    assert.equal(twice.code, 1)
    assert.match(
      twice.stderr,
      /2 sources are named Home mail\.\nTry: cin_\w+ \(Home mail\) or cin_\w+ \(Home mail\)/,
    )
  },
)

onEitherEngine('AN-41 a grant keeps the instants that its days meant when it was created', async engine => {
  await using place = await filled(engine)
  const zone = { env: { FOOTNOTE_TIME_ZONE: 'Asia/Tokyo' } }
  const flags = ['--connection', 'Work mail', '--since', '2026-03', '--until', '2026-03', '--json']
  const made = await place.run(['grant', 'create', '--client', 'Reader', ...flags], zone)
  assert.match(made.stderr, /^Time: from 2026-03-01, before 2026-04-01 \(Asia\/Tokyo\)\./)
  const { grant_ids, access_token } = JSON.parse(made.stdout)
  const { body } = await place.server.json('/v1/streams/messages/records', { token: access_token })
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    ['m2'],
  )
  const ending = ['grant', 'create', '--client', 'Ending', '--expires', '2036-05-01', '--json']
  const { grant_ids: ended } = JSON.parse(await place.out(ending, zone))
  const { expires_at } = JSON.parse(await place.out(['grant', 'show', ended[0], '--json']))
  assert.equal(expires_at, '2036-04-30T15:00:00Z')
  const show = await place.out(['grant', 'show', grant_ids[0]], zone)
  assert.match(show, /since 2026-03-01T00:00:00\+09:00 {2}until 2026-04-01T00:00:00\+09:00/)
})

onEitherEngine('AN-41 footnote conversation shows the messages around a record', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(CHAT, 'Office chat')
  const lines = [line('a', 0.5), line('b', 1, { text: `two ${ESCAPE}[31mlines\nof it` }), line('c', 2)]
  await server.ingest('chat', connection, lines)
  const flags = placeFlags(server.location)
  const id = `${connection}/chat:b`
  const whole = await footnote(['conversation', id, ...flags, '--time-zone', 'Asia/Tokyo'], {
    isTerminal: true,
  })
  assert.match(
    whole.stdout.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), ''),
    new RegExp(
      `2026-01-01T09:00:30\\+09:00 {2}Ada {2}${connection}/chat:a\ntext a\n\n.*chat:b {2}<- asked\ntwo ·\\[31mlines\nof it\n\n`,
    ),
  )
  assert.match(whole.stderr, /This is the whole conversation\./)
  const json = JSON.parse(
    await output(['conversation', 'chat:b', '--connection', 'office chat', '--json', ...flags]),
  )
  assert.deepEqual(
    json.messages.map(({ record_key }: { record_key: string }) => record_key),
    ['a', 'b', 'c'],
  )
  const near = await footnote(['conversation', id, '--before', '0', '--after', '0', ...flags])
  assert.match(near.stdout, /^c\n\n2026-01-01T00:01:00Z {2}Ada/)
  const cursor = /Next: --cursor (\S+)/.exec(near.stderr)?.[1] ?? assert.fail(near.stderr)
  assert.match(await output(['conversation', id, '--cursor', cursor, ...flags]), /text c/)
  assert.equal((await footnote(['conversation', ...flags])).code, 64)
})

test('footnote schema and footnote ledger show what can be read and who saw what', async () => {
  await using place = await filled('sqlite')
  const schema = await place.out(['schema', 'messages'])
  assert.match(schema, /^messages {2}Your e-mail\. Sender, subject, date and text\.\n/)
  assert.match(schema, new RegExp(`  ${place.work}  mailbox  Work mail\n`))
  assert.match(schema, /subject +t=string\|null primary-title eq lex\n/)
  assert.equal(JSON.parse(await place.out(['schema', '--json'])).view, 'compact')
  assert.equal(JSON.parse(await place.out(['schema', '--full', '--json'])).view, 'full')

  const empty = await place.run(['ledger'])
  assert.deepEqual([empty.stdout, empty.stderr], ['', 'No client has read anything.\n'])
  const token = await place.server.grant({ client_name: 'Reader', streams: ['messages'] })
  const window = `/v1/streams/messages/records/m1/field-window?connection_id=${place.work}&field=body&limit_chars=7`
  assert.equal((await place.server.json(window, { token })).status, 200)
  const entry =
    / Reader {2}GET \/v1\/streams\/:stream\/records\/:record_id\/field-window 200\n {2}cin_\w+\/messages:m1 \(body 0-7\)\n/
  assert.match(await place.out(['ledger']), entry)
  assert.match(await place.out(['ledger', '--client', 'Reader', '--since', '2020-01-01']), entry)
  assert.equal((await place.run(['ledger', '--until', '2020-01-01'])).stdout, '')
  assert.equal(JSON.parse(await place.out(['ledger', '--json'])).data[0].shown[0].record_ids[0], 'm1')
  assert.equal((await place.run(['ledger', '--client', 'Nobody'])).code, 1)
  assert.equal((await place.server.json('/v1/search?q=heron', { token })).status, 200)
  const lines = await place.out(['ledger', '--limit', '1'])
  const decided = [...lines.matchAll(/decided by (cin_\w+\/\w+: all records) \(/g)].map(([, what]) => what)
  assert.ok(decided.length > 0)
  assert.equal(new Set(decided).size, decided.length, 'one line for what decided by several sets of fields')
  await place.server.connect(MAILBOX, 'Third mail')
  const all = await place.server.grant({ client_name: 'All' })
  assert.equal((await place.server.json('/v1/search?q=heron', { token: all })).status, 200)
  const short = await place.out(['ledger', '--limit', '1'])
  const [, streams = ''] = /decided by fields of (\d+) streams; --all lists them\n/.exec(short) ?? []
  const listed = await place.out(['ledger', '--limit', '1', '--all'])
  assert.equal([...listed.matchAll(/decided by cin_/g)].length, Number(streams))
  await place.server.ingest('messages', place.home, [message('m4'), message('m5')])
  for (let times = 0; times < 3; times++)
    assert.equal(
      (await place.server.json('/v1/streams/messages/records?limit=6', { token: all })).status,
      200,
    )
  const bounded = await place.out(['ledger', '--limit', '3'])
  assert.match(bounded, /^\S+ {2}All {2}GET \/v1\/streams\/:stream\/records 200, 3 times since \S+\n/)
  assert.equal([...bounded.matchAll(/^ {2}cin_/gm)].length, 3)
  assert.match(bounded, /\n {2}and 3 more records; --all lists them\n/)
  assert.doesNotMatch(bounded, /decided by cin_\w+\/messages:m/, 'what was shown is not told again')
  const everything = await place.out(['ledger', '--limit', '3', '--all'])
  assert.equal([...everything.matchAll(/ {2}All {2}GET/g)].length, 3)
  const asked = await place.run(['ledger', '--queries'])
  assert.match(asked.stderr, /Set ledger-queries to on/)
  const turnedOn = { env: { FOOTNOTE_LEDGER_QUERIES: 'on' } }
  assert.match(
    await place.out(['ledger', '--queries'], turnedOn),
    /\n {2}asked \/v1\/streams\/messages\/records\/m1/,
  )
})

test('the exit code of footnote ledger verify says whether the ledger is intact', async () => {
  await using place = await filled('sqlite')
  const token = await place.server.grant({ client_name: 'Reader' })
  for (const id of ['m2', 'm3'])
    assert.equal((await place.server.json(`/v1/streams/messages/records/${id}`, { token })).status, 200)
  const backup = join(place.server.location.directory, 'backup')
  await place.out(['backup', backup])
  assert.match(await output(['ledger', 'verify', '--data-dir', backup]), /^2 entries in 1 chain: intact\.\n/)
  assert.match(await place.out(['ledger', 'verify']), /intact\.\nUnfinished chains: 1\./)
  const ledger = place.server.store.ledger.database
  await ledger.run('DELETE FROM disclosures WHERE link_no = 2')
  const changed = await place.run(['ledger', 'verify'])
  assert.equal(changed.code, 66)
  assert.match(changed.stderr, /The ledger was changed/)
  assert.match(changed.stdout, /broken\.\n[\s\S]*deleted: entry 2 of chain \w+\n$/)
  const refused = await place.run(['ledger', 'prune', '--before', '2020-01-01'])
  assert.deepEqual([refused.code, /not intact/.test(refused.stderr)], [1, true])
  await rm(join(backup, 'ledger.key'))
  const foreign = await footnote(['ledger', 'verify', '--json', '--data-dir', backup])
  assert.deepEqual([foreign.code, JSON.parse(foreign.stdout).state], [67, 'unverifiable'])
  assert.equal((await place.run(['ledger', 'prune'])).code, 64)
  assert.equal((await place.run(['ledger', 'check'])).code, 64)
})

test('RS-3 reading on the command line leaves no token and no disclosure behind', async () => {
  await using place = await filled('sqlite')
  const tokens = () => place.server.store.database.all('SELECT token_hash FROM tokens')
  const before = await tokens()
  await place.out(['search', 'heron'])
  await place.out(['records', 'messages'])
  assert.deepEqual(await tokens(), before)
  assert.equal((await place.run(['ledger'])).stdout, '')
})

test('colours are used only on terminals, NO_COLOR is respected, and records cannot control a terminal', async () => {
  await using place = await filled('sqlite')
  const search = ['search', 'heron']
  const plain = await place.out(search)
  assert.ok(!plain.includes(ESCAPE), 'no escape sequence without a terminal')
  const coloured = await place.out(search, { isTerminal: true })
  assert.ok(coloured.includes(`${ESCAPE}[1;33mheron${ESCAPE}[0m`), 'the match is highlighted')
  assert.equal(await place.out(search, { isTerminal: true, env: { NO_COLOR: '1' } }), plain)
  assert.equal(await place.out(search, { isTerminal: true, env: { TERM: 'dumb' } }), plain)
  assert.ok(!coloured.includes(`${ESCAPE}]0;`) && !coloured.includes('\u0007'))

  const read = ['read', `${place.work}/messages:m2`, 'body']
  assert.equal(await place.out(read), `plain ${ESCAPE}]0;owned\u0007 heron`, 'a program gets the text itself')
  assert.equal(await place.out(read, { isTerminal: true }), 'plain ·]0;owned· heron\n')

  const chat = await place.server.connect(MAILBOX, `Chat ${ESCAPE}]0;owned\u0007`)
  await place.server.ingest('messages', chat, [message('m1')])
  const ambiguous = await place.run(['read', 'messages:m1', 'body'], { isTerminal: true })
  assert.match(ambiguous.stderr, /\nTry: .*\(Chat ·\]0;owned·\)/)
  assert.ok(!ambiguous.stderr.includes(ESCAPE))
})

test('footnote grant create names the streams and fields there are, and where to look', async () => {
  await using place = await filled('sqlite')
  const create = (...args: string[]) => place.run(['grant', 'create', '--client', 'C', ...args])
  const stream = await create('--stream', 'emails')
  assert.deepEqual([stream.code, stream.stdout], [1, ''])
  assert.match(
    stream.stderr,
    /^Error: No chosen connection has a stream emails\. There are messages, notes\.\nTry: footnote .*schema\n$/,
  )
  const field = await create('--stream', 'messages', '--fields', 'Subject,from')
  assert.match(
    field.stderr,
    /^Error: No chosen stream has a field Subject\. There are subject, id, .*from.*\.\n/,
  )
})
