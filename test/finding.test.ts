import assert from 'node:assert/strict'
import { rarityOf } from '../src/model/search/bm25.ts'
import { oneEditAway } from '../src/model/text/one-edit.ts'
import { at, CHAT, line } from './chat.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'
import { Random } from './random.ts'

interface Answer {
  data: { record_key: string }[]
  meta: { warnings: { code: string; detail?: { taken: string } }[] }
}

const ids = (hits: Answer['data']) => hits.map(hit => hit.record_key)
const codesOf = ({ meta }: Answer) =>
  meta.warnings.map(({ code }) => code).filter(code => code === 'phrase_as_words')

onEachEngine('EV-8 quotation marks and a minus count only where they are operators', async engine => {
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
  assert.deepEqual(await asked('“late running”'), [['late'], loose])
  assert.deepEqual(await asked('„harbour January“'), [['harbour'], loose])
  assert.deepEqual(await asked('late -“running late”'), [[], []])
  assert.deepEqual(await asked('"late running" harbour', '&sort=newest'), [[], loose])
  assert.deepEqual(await asked('"harbour January"', '&sort=newest'), [['harbour'], loose])
  const told = async (q: string) => {
    const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}&sort=newest`)
    return body.meta.warnings.at(-1).message
  }
  const instead = 'words were searched for instead.'
  assert.equal(await told('"harbour January"'), `No record contains the quoted phrase. Its ${instead}`)
  const together = `No record contains the quoted phrase and all other words. The words of the phrase ${instead.slice(6)}`
  assert.equal(await told('late "harbour freezes"'), together)
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

onEachEngine('EV-8 a misspelt short word begins with the letter that was meant', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('a', { body: 'a text about the hospital' })])
  const taken = async (q: string) => {
    const { body } = await server.json(`/v1/search?q=${q}`)
    return body.meta.warnings.map(({ detail }: { detail?: { taken?: string } }) => detail?.taken)
  }
  assert.deepEqual(await taken('next'), [undefined])
  for (const q of ['etxt', 'tetx', 'tekst', 'texr'])
    assert.deepEqual(await taken(q), q === 'tekst' ? [undefined] : ['text'], q)
  assert.deepEqual(await taken('ospital'), ['hospital'])
})

onEachEngine('EV-8 a short Arabic word is not taken for another one', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('a', { body: 'سليمان القانوني' }),
    message('b', { body: 'وصلنا إلى المستشفى' }),
  ])
  const asked = async (q: string) => {
    const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}`)
    return ids(body.data)
  }
  assert.deepEqual(await asked('السلام'), [])
  assert.deepEqual(await asked('سليمان'), ['a'])
  assert.deepEqual(await asked('المستشقى'), ['b'])
})

onEachEngine('EV-8 what is written in one word or in two, and emoji, are found', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('phone', { body: '昨天用iPhone15拍了照片' }),
    message('party', { body: 'What a party🎉 it was, I ❤️ it' }),
    message('near', { body: 'It is 20km away, from 5pm' }),
    message('far', { body: 'It is 40 km away, from 3 pm' }),
    message('bus', { body: 'Die Straßenbahnhaltestelle ist geschlossen' }),
    message('bill', { body: 'The total was 12,500 NOK' }),
    message('friends', { body: '어제 학교에서 친구들과 점심을 먹었습니다' }),
    message('sea', { body: 'θάλασσα με τους φίλους μου' }),
  ])
  const asked = async (q: string) => {
    const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}`)
    return [...ids(body.data), ...body.meta.warnings.map(({ code }: { code: string }) => code)]
  }
  for (const [q, found] of Object.entries({
    'iPhone 15': ['phone'],
    '🎉': ['party'],
    '❤': ['party'],
    '👍': [],
    '20 km': ['near', 'far'],
    '40km': ['far'],
    '3pm': ['far'],
    '12500': ['bill'],
    '12 500 NOK': ['bill'],
    strassenbahn: ['bus'],
    친구: ['friends'],
    // A form of a word that occurs is not misspelt, although another form is at one edit.
    학교가: ['friends'],
    φίλος: ['sea'],
  }))
    assert.deepEqual(await asked(q), found, q)
})

onEachEngine('EV-1 a name that shares its key with a stop word is searched for', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('doe', { body: 'A letter from John Doe about the pump' }),
    ...Array.from({ length: 8 }, (_, i) => message(`john${i}`, { body: `John, pump${' pad'.repeat(i)}` })),
  ])
  const { body } = await server.json(`/v1/search?q=${encodeURIComponent('Who is John Doe?')}`)
  assert.equal(ids(body.data)[0], 'doe')
  assert.equal(body.meta.count, 1)
  const newest = await server.json(`/v1/search?q=${encodeURIComponent('john doe')}&sort=newest`)
  assert.deepEqual(ids(newest.body.data), ['doe'])
  // "does" has the same key, but nobody asks for it.
  const asking = await server.json(`/v1/search?q=${encodeURIComponent('what does John pump')}`)
  assert.equal(asking.body.meta.count, 9)
})

onEachEngine(
  'EV-1 a mail with a subject comes before a long thread about something similar',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const body = 'about the sparse checkout and its fixes, sparse checkout fixes, fixes of the checkout'
    await server.ingest('messages', connection, [
      message('asked', { subject: '[PATCH v3 0/4] Sparse checkout completion fixes', body: 'a letter' }),
      ...Array.from({ length: 6 }, (_, n) =>
        message(`similar${n}`, {
          subject: 'completion: avoid confusion in the other mode',
          received_at: `2024-05-01T1${n}:00:00Z`,
          body,
        }),
      ),
    ])
    const { body: found } = await server.json('/v1/search?q=Sparse%20checkout%20completion%20fixes')
    assert.equal(ids(found.data)[0], 'asked')
    const { body: short } = await server.json('/v1/search?q=completion%20mode')
    assert.notEqual(ids(short.data)[0], 'asked')
  },
)

onEachEngine(
  'EV-1 records whose title was asked for, and what a named person wrote, come first',
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
    const why = await server.json('/v1/search?q=Jeff%20King&explain=true')
    const [first, second] = why.body.data.map((hit: { explanation: { by: string }[] }) =>
      hit.explanation.map(({ by }) => by),
    )
    assert.ok(first.includes('words') && first.includes('people'), first.join())
    assert.ok(second.includes('words') && !second.includes('people'), second.join())
    const token = await server.grant({ connections: [connection], fields: ['id', 'body', 'received_at'] })
    const refused = await server.json('/v1/search?q=Jeff&explain=true', { token })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'owner_token_required'])
    assert.deepEqual(await found('HEAD is not that special', '', token), ['hidden', 'other'])
    assert.deepEqual(await found('Jeff King', '', token), ['quotes'])
  },
)

onEachEngine(
  'EV-1 what a person wrote does not come first in answer to who spoke of that person',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const said = (id: string, from: string, body: string) => message(id, { from, subject: '', body })
    await server.ingest('messages', connection, [
      said('about', 'Bob Roe', 'What if Ann and Eve pack a picnic basket?'),
      said('own', 'Ann Doe', 'I can pack my own picnic basket on Sunday'),
    ])
    const found = async (q: string) =>
      ids((await server.json(`/v1/search?q=${encodeURIComponent(q)}`)).body.data)
    assert.deepEqual(await found('who suggested that Ann pack a picnic basket?'), ['about', 'own'])
    assert.deepEqual(await found('what did Ann say about the picnic basket?'), ['own', 'about'])
  },
)

onEachEngine(
  'EV-1 RS-5 an answer is found next to its question, among visible messages only',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(CHAT)
    const noise = Array.from({ length: 8 }, (_, i) =>
      line(`n${i}`, 100 + i, { thread: `other ${i}`, text: 'the shop, that shop, a shop' }),
    )
    await server.ingest('chat', connection, [
      line('before', 1, { text: 'good morning' }),
      line('question', 2, { text: 'Do you know who sells a kayak paddle made of ash?' }),
      line('between', 3, { text: 'hm' }),
      line('answer', 4, {
        who: 'Bob',
        text: 'the shop behind the harbour, where we were in spring with the others',
      }),
      line('far', 9, { text: 'we closed that shop long ago, and then another one came and went as well' }),
      line('asked', 20, { thread: 'u', text: 'Who rows the pilot boat?' }),
      line('told', 21, {
        thread: 'u',
        who: 'Bob',
        text: 'the boat is rowed by four of us on most days of the week',
      }),
      line('again', 22, { thread: 'u', text: 'the boat is rowed by four of us on most days of the week' }),
      ...noise,
    ])
    const fields = ['id', 'text', 'who', 'thread', 'channel', 'shown', 'at']
    const found = async (q: string, token?: string) =>
      ids(
        (await server.json(`/v1/search?q=${encodeURIComponent(q)}`, { token: token ?? server.ownerToken }))
          .body.data,
      )
    const q = 'which shop sells a kayak paddle'
    assert.deepEqual((await found(q)).slice(0, 3), ['question', 'answer', 'far'])
    const told = await found('who rows the pilot boat')
    assert.ok(told.indexOf('told') < told.indexOf('again'), told.join())

    // Without the fields that define a conversation, each message is ranked on its own.
    const narrow = await server.grant({ connections: [connection], fields: ['id', 'text', 'at'] })
    assert.ok((await found(q, narrow)).indexOf('answer') > 8)

    // For a reader who cannot see the messages between them, the answer is next to the question.
    const all = ['before', 'question', 'between', 'answer', 'far', ...noise.map(({ data }) => data.id)]
    const records = all.filter(id => id !== 'between').map(id => `chat:${id}`)
    const without = await server.grant({ connections: [connection], fields, records })
    const scores = async (token: string) => {
      const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}`, { token })
      return ids(body.data)
    }
    const seen = await scores(without)
    await server.ingest('chat', connection, [
      line('between', 3, { text: 'the shop of the paddle' }),
      ...Array.from({ length: 30 }, (_, i) =>
        line(`hidden${i}`, 3, { text: 'kayak paddle shop', at: at(3) }),
      ),
    ])
    assert.deepEqual(await scores(without), seen)
  },
)

onEachEngine('EV-1 neighbours share their scores however many records rank before them', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(CHAT)
  const apart = Array.from({ length: 40 }, (_, i) => [
    line(`apart${i}`, 4 * i, { text: 'the lantern' }),
    ...[1, 2, 3].map(n => line(`other${i}-${n}`, 4 * i + n)),
  ]).flat()
  const together = ['first', 'second'].map((id, i) =>
    line(id, 200 + i, { text: 'the lantern was never lit' }),
  )
  await server.ingest('chat', connection, [...apart, ...together])
  const { body } = await server.json('/v1/search?q=lantern&limit=2')
  assert.deepEqual(ids(body.data).toSorted(), ['first', 'second'])
})

onEachEngine('EV-1 EV-8 RS-5 close words, dates and all parts of a long record count', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const pad = (n: number) => 'pad '.repeat(n)
  const parts = ['one quartz lantern', 'two quartz', 'three lantern', 'four quartz', 'five lantern quartz']
  await server.ingest('messages', connection, [
    message('close', { body: 'it was a copper of the kettle that rang in the room, on a day of rain' }),
    message('apart', { body: 'copper rang in the room, on a day of rain, and then it was the kettle' }),
    message('pairs together', { body: '犬猫鳥が来た。猫がね。', received_at: '2023-01-01T10:00:00Z' }),
    message('pairs apart', { body: '犬猫が来た。猫鳥がね。', received_at: '2023-01-02T10:00:00Z' }),
    // All pairs of a word twice in a short text, and the word itself in a long one.
    message('word', { body: `${'夏の庭でお茶を飲む。'.repeat(12)}さくらんぼ` }),
    message('pairs', { body: 'さくを。くらを。らんを。んぼを。'.repeat(2) }),
    message('june', { body: 'the harbour dues were paid', received_at: '2023-06-05T10:00:00Z' }),
    message('july', { body: 'harbour dues', received_at: '2023-07-05T10:00:00Z' }),
    message('long', { body: parts.map(part => `${part} ${pad(4_000)}`).join('') }),
  ])
  const asked = async (q: string, more = '', token = server.ownerToken) =>
    (await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`, { token })).body.data
  assert.deepEqual(ids(await asked('copper kettle')), ['close', 'apart'])
  assert.deepEqual(ids(await asked('犬猫鳥')), ['pairs together', 'pairs apart'])
  assert.deepEqual(ids(await asked('さくらんぼ')), ['word', 'pairs'])
  assert.deepEqual(ids(await asked('harbour dues')), ['july', 'june'])
  const untimed = await server.grant({ connections: [connection], fields: ['id', 'body'] })
  for (const q of ['harbour dues in June 2023', 'harbour dues in June', 'the June harbour dues']) {
    assert.deepEqual(ids(await asked(q)), ['june', 'july'], q)
    assert.deepEqual(ids(await asked(q, '', untimed)), ['july', 'june'], q)
  }

  const [long] = await asked('quartz lantern', '&windows=5&window_chars=40')
  const windows = long.match_windows as { start_chars: number; text: string }[]
  const shown = windows.map(({ text }) => parts.find(part => text.includes(part)))
  assert.deepEqual(new Set(shown), new Set(parts))
  const starts = windows.map(({ start_chars }) => start_chars).sort((a, b) => a - b)
  for (const [i, start] of starts.slice(1).entries()) assert.ok(start - (starts[i] ?? 0) >= 2_000)
})

onEachEngine('AN-24 a query that names a time leads to what is from then', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('word', { body: 'it happened by chance', received_at: '2023-07-05T10:00:00Z' }),
    message('day', { body: 'the bridge fell', received_at: '2023-06-05T10:00:00Z' }),
  ])
  const asked = async (q: string, token = server.ownerToken) =>
    (await server.json(`/v1/search?q=${encodeURIComponent(q)}`, { token })).body
  const instead = async (q: string, token?: string) =>
    (await asked(q, token)).meta.warnings
      .filter(({ code }: { code: string }) => code === 'time_not_found')
      .map(({ detail }: { detail: { instead: string } }) => detail.instead)
  assert.deepEqual(await instead('by chance on 5 June 2023'), ['on:2023-06-05'])
  assert.deepEqual(ids((await asked('on:2023-06-05')).data), ['day'])
  assert.deepEqual(await instead('chance last week'), ['on:"last week"'])
  assert.deepEqual((await asked('on:"last week"')).data, [])
  // A question that asks for nothing but a time is answered by what is from then.
  const listed = async (q: string, token?: string) => {
    const { data, meta } = await asked(q, token)
    const codes = meta.warnings.map(({ code }: { code: string }) => code)
    return [...ids(data), ...codes.filter((code: string) => code !== 'streams_left_out')]
  }
  assert.deepEqual(await listed('What happened on 5 June 2023?'), ['day', 'time_listed'])
  assert.deepEqual(await listed('what did I do in June 2023'), ['day', 'time_listed'])
  assert.deepEqual(await listed('anything on 2023-06-05'), ['day', 'time_listed'])
  assert.deepEqual(await listed('what happened before 6 June 2023'), ['word', 'time_not_found'])
  assert.deepEqual(await listed('5 June 2023'), [])
  assert.deepEqual(await listed('what happened in 2023'), ['word', 'day', 'time_listed'])
  assert.deepEqual(await listed('what happened last week'), ['time_listed'])
  assert.deepEqual(await listed('what was discussed in the summer of 2023?'), ['word', 'day', 'time_listed'])
  assert.deepEqual(await listed('what happened in the first week of June 2023'), ['day', 'time_listed'])
  assert.deepEqual(await listed('anything new since 1 July 2023?'), ['word', 'time_listed'])
  assert.deepEqual(await listed('what is new?'), ['word', 'day', 'time_listed'])
  assert.deepEqual(await listed('new'), [])
  assert.deepEqual(await listed('"what happened" on 5 July 2023'), ['word', 'phrase_as_words'])
  // A hit is from then, the dates are several, or a bound already says when.
  for (const q of [
    'what happened on 5 July 2023',
    'what happened in June',
    'happened June 2023 after:2023-01',
  ])
    assert.deepEqual(await instead(q), [], q)
  const untimed = await server.grant({ connections: [connection], fields: ['id', 'body'] })
  assert.deepEqual(await instead('what happened on 5 June 2023', untimed), [])
})

onEachEngine(
  'AN-24 a question for a time and a kind of source lists what is from then in it',
  async engine => {
    await using server = await TestServer.start(engine)
    const mail = await server.connect(MAILBOX)
    const chat = await server.connect(CHAT)
    await server.ingest('messages', mail, [message('letter', { received_at: '2023-06-05T10:00:00Z' })])
    await server.ingest('chat', chat, [line('chatted', 1)])
    const asked = async (q: string) =>
      (await server.json(`/v1/search?q=${encodeURIComponent(q)}`, { token: server.ownerToken })).body
    const { data, meta } = await asked('What is new in the chat since June 2023?')
    assert.deepEqual(ids(data), ['chatted'])
    assert.match(meta.warnings[0].message, /so what is from 2023-06 on in chat is listed/)
    assert.deepEqual(ids((await asked('what is new since June 2023')).data), ['chatted', 'letter'])
  },
)

onEachEngine(
  'EV-8 other forms of a word are found and verified, and do not count as the word itself',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const texts = {
      tr: 'kitaplarımızdan biri kayıp',
      el: 'οι βιβλιοθήκες είναι κλειστές',
      form: 'we went home early',
      name: 'write an e-mail to the pilot',
      vi: 'anh bán nhà',
      other: 'bạn là ai',
      exact: 'kitaplar',
    }
    await server.ingest(
      'messages',
      connection,
      Object.entries(texts).map(([id, body]) => message(id, { subject: null, body })),
    )
    const asked = async (q: string, more = '') =>
      (await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`)).body
    for (const [q, id, matched] of [
      ['kitapları', 'tr', 'kitaplarımızdan'],
      ['βιβλιοθήκη', 'el', 'βιβλιοθήκες'],
      ['go', 'form', 'went'],
      ['email', 'name', 'e-mail'],
    ] as const) {
      const hit = (await asked(q)).data.find(({ record_key }: { record_key: string }) => record_key === id)
      const [window] = hit?.match_windows ?? []
      const shown = Array.from(String(window?.text)).slice(window?.start_chars, window?.end_chars).join('')
      assert.equal(shown, matched, q)
    }
    assert.deepEqual(ids((await asked('bán')).data), ['vi', 'other'])
    const { data, meta } = await asked('kitaplar')
    assert.deepEqual([ids(data)[0], data.length, meta.count], ['exact', 2, 1])
    assert.deepEqual(ids((await asked('kitaplar', '&sort=newest')).data), ['exact'])
  },
)

onEachEngine(
  'EV-1 RS-5 how common a word is, is estimated from the distance of its records, among visible ones only',
  async engine => {
    await using server = await TestServer.start(engine)
    const [apart, other] = [await server.connect(MAILBOX), await server.connect(MAILBOX)]
    const lines = Array.from({ length: 1_302 }, (_, i) =>
      message(`m${i}`, { subject: `s${i}`, body: i % 2 === 0 ? 'kelp' : i % 400 === 1 ? 'fern' : 'moss' }),
    )
    const others = Array.from({ length: 300 }, (_, i) => message(`h${i}`, { subject: `s${i}`, body: 'kelp' }))
    await server.ingest('messages', apart, lines.slice(0, 400))
    await server.ingest('messages', other, others)
    await server.ingest('messages', apart, lines.slice(400))
    const points = async (connection: string) => {
      const q = `/v1/search?q=kelp%20fern&explain=true&limit=10&connection_id=${connection}`
      const { data } = (await server.json(q)).body
      return data.map((hit: { explanation: { by: string; points: number }[] }) =>
        hit.explanation.find(({ by }) => by === 'words'),
      ) as { points: number }[]
    }
    const seen = await points(apart)
    const ratio = (seen.at(-1)?.points ?? 0) / (seen[0]?.points ?? 0)
    const wanted = rarityOf(651, 1_302) / rarityOf(4, 1_302)
    assert.ok(Math.abs(ratio / wanted - 1) < 0.02, `${ratio} instead of ${wanted}`)

    // The same records, but with no others between them.
    const second = await server.connect(MAILBOX)
    await server.ingest('messages', second, lines)
    assert.deepEqual(await points(second), seen)
  },
)

onEachEngine(
  'EV-8 RS-5 a word that no record contains is replaced by a visible one at one edit, and the response says so',
  async engine => {
    const make = async (hidden: Record<string, unknown>[]) => {
      const server = await TestServer.start(engine)
      const connection = await server.connect(MAILBOX)
      await server.ingest('messages', connection, [
        message('one', { body: 'the lantern of the harbour' }),
        message('two', { body: 'running late', received_at: '2026-01-05T00:00:00Z' }),
        message('long', { body: `${'pad '.repeat(9_000)} marmalade` }),
        message('coat', { body: 'coat, boat, boat' }),
        message('boat', { body: 'boat' }),
        message('series', { body: 'a series of stories that we receive' }),
        ...hidden.map((more, i) => message(`hidden${i}`, { received_at: '2027-01-01T00:00:00Z', ...more })),
      ])
      const token = await server.grant({
        connections: [connection],
        until: '2026-12-01T00:00:00Z',
        fields: ['id', 'subject', 'body', 'received_at'],
      })
      const asked = async (q: string, more = '') => {
        const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`, { token })
        const { warnings, count } = body.meta as Answer['meta'] & { count: number }
        const taken = warnings.flatMap(({ code, detail }) =>
          code === 'word_corrected' ? [detail?.taken] : [],
        )
        return { ids: ids(body.data), taken, count, windows: body.data[0]?.match_windows[0]?.text }
      }
      return { server, connection, token, asked }
    }
    const plain = await make([])
    await using server = plain.server
    const { asked } = plain
    for (const [q, taken, id] of [
      ['lnatern', 'lantern', 'one'],
      ['lanttern', 'lantern', 'one'],
      ['lantirn', 'lantern', 'one'],
      ['lantrn', 'lantern', 'one'],
      ['Harbuor?', 'harbour', 'one'],
      ['runnign', 'running', 'two'],
      ['marmelade', 'marmalade', 'long'],
      ['boar', 'boat', 'boat'],
      ['recieved', 'receive', 'series'],
    ] as const) {
      const found = await asked(q)
      assert.deepEqual([found.taken, found.ids[0]], [[taken], id], q)
      assert.ok(found.windows?.includes(taken), q)
    }
    assert.deepEqual((await asked('lnatern harbuor', '&sort=newest')).ids, ['one'])
    assert.equal((await asked('lnatern harbuor')).count, 1)
    // A known word is not corrected, even if it occurs only outside the requested time. Nor is a word in quotation
    // marks.
    assert.deepEqual((await asked('coat')).taken, [])
    assert.deepEqual((await asked('running', '&until=2026-01-03T00:00:00Z')).taken, [])
    assert.deepEqual((await asked('"lnatern"')).taken, [])
    assert.deepEqual((await asked('lnatrne')).taken, [])
    // Nor to a word with the stem of something at one edit: "seried" and "stori".
    for (const q of ['served', 'store']) assert.deepEqual((await asked(q)).taken, [], q)
    // Aggregations and searches inside a record give the same result as the search.
    const counted = await server.json('/v1/streams/messages/aggregate?q=lnatern&metric=count', {
      token: plain.token,
    })
    assert.equal(counted.body.value, 1)
    assert.deepEqual(counted.body.meta.warnings[0].detail, { written: 'lnatern', taken: 'lantern' })
    const within = await asked('lnatern', `&record=${encodeURIComponent(`${plain.connection}/messages:one`)}`)
    assert.deepEqual([within.ids, within.taken], [['one'], ['lantern']])
    await using client = await McpTestClient.connect(server, plain.token)
    assert.match(
      (await client.call('search', { query: 'lnatern' })).text,
      /“lantern” was searched for instead/,
    )

    // Hidden text neither makes a word known nor supplies corrections.
    const twin = await make([
      { body: 'lnatern boar boar' },
      { body: 'zeppelin' },
      ...Array.from({ length: 9 }, () => ({ body: 'bear boas' })),
      // More words than are compared, and than are looked up at once.
      { body: oneEditAway('boax').join(' ') },
      { body: oneEditAway('lnatern').join(' ') },
    ])
    await using other = twin.server
    await other.ingest('messages', (await other.json('/v1/owner/connections')).body.data[0].connection_id, [
      message('one', { body: 'the lantern of the harbour', from: 'zeppelin', secret: 'zeppelin' }),
    ])
    for (const q of ['lnatern', 'boar', 'zepelin', 'zeppelni', 'boax', 'lantern'])
      assert.deepEqual(await twin.asked(q), await asked(q), q)
  },
)

onEachEngine(
  'EV-1 in a script without spaces, being adjacent counts less than the words themselves',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [
      message('about', { body: 'ポスターを壁に貼る前に、ユーティリティーの設定を開いて、用紙を選ぶ。' }),
      message('other', { body: 'ユーティリティーの話で、これは何ですかと言う。' }),
      ...Array.from({ length: 6 }, (_, i) => message(`${i}`, { body: 'あれは何ですか。' })),
    ])
    const q = encodeURIComponent('ユーティリティーとポスターは何ですか？')
    const { body } = await server.json(`/v1/search?q=${q}&explain=true`)
    assert.equal(ids(body.data)[0], 'about')
    for (const { explanation } of body.data) {
      const pointsOf = (ranker: string): number =>
        explanation.find(({ by }: { by: string }) => by === ranker)?.points ?? 0
      assert.ok(pointsOf('closeness') < pointsOf('words'), JSON.stringify(explanation))
    }
  },
)

onEachEngine(
  'EV-1 in a script without spaces, a text that contains a whole short query comes first, where its characters are adjacent',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const padding = '机の上に本とペンがある。'.repeat(12)
    await server.ingest('messages', connection, [
      message('written', { body: `${padding}コピー機に用紙を入れる。${padding}` }),
      message('scattered', { body: 'コピペ、ピーマン、用紙、用紙' }),
      message('one', { body: 'コピー、コピー、コピー' }),
      ...Array.from({ length: 6 }, (_, i) => message(`${i}`, { body: `用紙、用紙${i}` })),
      message('thai', { body: `${'เปิดแฟ้มแล้วกดปุ่มตกลง '.repeat(12)}เลือกรูปภาพแล้วแทรกตาราง` }),
      message('picture', { body: 'รูปภาพ รูปภาพ รูปภาพ' }),
    ])
    const found = async (q: string) =>
      ids((await server.json(`/v1/search?q=${encodeURIComponent(q)}`)).body.data)
    assert.deepEqual((await found('コピー 用紙')).slice(0, 3), ['written', 'scattered', 'one'])
    assert.deepEqual((await found('รูปภาพ ตาราง')).slice(0, 2), ['thai', 'picture'])
  },
)

onEachEngine(
  'EV-1 in a script without spaces, a text that contains the query as it is written comes first, even if that is a part of a character',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [
      message('version', { body: `${'เปิดแฟ้มแล้วกดปุ่มตกลง '.repeat(9)}ต้องปรับรุ่นก่อนที่จะเริ่มทำงาน` }),
      message('month', { body: 'วันก่อนทำงาน เดือนก่อนทำงาน' }),
      message('work', { body: 'ก่อนทำงาน' }),
      message('order', { body: `${'見積書と請求書を送る。'.repeat(9)}注文 番号` }),
      message('number', { body: '番号と注文、注文の番号、番号' }),
    ])
    const first = async (q: string) =>
      ids((await server.json(`/v1/search?q=${encodeURIComponent(q)}`)).body.data)[0]
    assert.equal(await first('ุ่นก่อนท'), 'version')
    assert.equal(await first('注文 番号'), 'order')
  },
)

onEachEngine(
  'EV-1 of texts with the same Russian or Arabic stems, the one with the words as written comes first',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const bodies = [
      'основанное значение', // as asked
      'основанную значению',
      'قائمة الجداول', // as asked
      'القائمة جداول',
    ]
    await server.ingest(
      'messages',
      connection,
      bodies.map((body, i) => message(`${i}`, { body, received_at: `2026-01-0${i + 1}T00:00:00Z` })),
    )
    for (const [q, first] of [
      ['основанное значение', '0'],
      ['основанную значению', '1'],
      ['قائمة الجداول', '2'],
      ['القائمة جداول', '3'],
    ] as const) {
      const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}`)
      assert.deepEqual([ids(body.data)[0], body.data.length], [first, 2], q)
    }
  },
)

onEachEngine('EV-1 pages of any size have the same order when closeness decides the rank', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const words = ['amber', 'kettle', 'whistle', 'garden', 'ladder', 'pepper', 'window']
  const random = new Random(3)
  const bodies = Array.from({ length: 60 }, () =>
    Array.from({ length: random.integer(3, 40) }, () => random.pick(words)).join(' '),
  )
  await server.ingest(
    'messages',
    connection,
    bodies.map((body, i) => message(`m${i}`, { body })),
  )
  const q = encodeURIComponent('amber kettle whistle garden')
  const walk = async (limit: number) => {
    const walked: unknown[] = []
    let cursor = ''
    do {
      const { body } = await server.json(`/v1/search?q=${q}&explain=true&limit=${limit}${cursor}`)
      walked.push(
        ...body.data.map((hit: { record_key: string; explanation: unknown }) => [
          hit.record_key,
          hit.explanation,
        ]),
      )
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : ''
    } while (cursor)
    return walked
  }
  const whole = await walk(100)
  assert.ok(JSON.stringify(whole).includes('"closeness"'))
  for (const limit of [1, 7]) assert.deepEqual(await walk(limit), whole)
})

onEachEngine('EV-1 words in one passage of a long text count more than words far apart', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const pad = (words: number) => Array.from({ length: words }, (_, i) => `filler${i % 7}`).join(' ')
  const letter = (id: string, minute: number, body: string) =>
    message(id, { subject: null, body, received_at: `2026-01-01T10:0${minute}:00Z` })
  await server.ingest('messages', connection, [
    letter('together', 1, `the harbour ${pad(20)} a lantern ${pad(400)}`),
    letter('apart', 2, `the harbour ${pad(420)} a lantern`),
    letter('short', 3, `the harbour ${pad(20)} a lantern ${pad(100)}`),
  ])
  const best = async (q: string) =>
    ids((await server.json(`/v1/search?q=${encodeURIComponent(q)}`)).body.data)
  assert.deepEqual(await best('where is the harbour with a lantern'), ['short', 'together', 'apart'])
})
