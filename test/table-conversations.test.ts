import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '../src/model/json.ts'
import { onEitherEngine } from './engines.ts'
import { importPlace } from './import-place.ts'
import { folderWith, readingOf } from './imported-folder.ts'
import { valuesOf } from './rows-of.ts'

const SAID = [
  'Hi!',
  'Did the parcel with the violin arrive?',
  'Yes, on Monday, unharmed.',
  'Good.',
  'What does the luthier want for it?',
  'Ninety crowns.',
]

/** Two conversations of two people in two sessions, whose messages have the time of their session. */
const TALKS = ['a', 'b'].flatMap(talk =>
  [1, 2].flatMap(session =>
    SAID.map((text, n) => ({
      id: `${talk}:${session}:${n + 1}`,
      conversation_id: talk,
      speaker: ['Ada', 'Ben'][n % 2] ?? '',
      date_time: `1:5${session} pm on ${session + 7} May, 2023`,
      text,
    })),
  ),
)
const lines = (rows: readonly JsonObject[]) => `${rows.map(row => JSON.stringify(row)).join('\n')}\n`

/** The roles of the fields of a table, and its conversations. */
async function declared(context: Parameters<typeof folderWith>[0], files: Record<string, string>) {
  const reading = await readingOf('table', folderWith(context, files))
  const { properties, x_pdpp_conversation } = reading.declaration.streams[0]?.schema ?? assert.fail()
  const roles = Object.entries(properties).flatMap(([name, { x_pdpp_role }]) =>
    x_pdpp_role ? [[x_pdpp_role, name]] : [],
  )
  return { roles: Object.fromEntries(roles), conversation: x_pdpp_conversation, rows: reading.of('rows') }
}

test('messages in a table are conversations, in the order of time, then of turns or of the file', async context => {
  const talks = await declared(context, { 'a.jsonl': lines(TALKS) })
  assert.deepEqual(talks.roles, { actor: 'speaker', 'primary-text': 'text', 'event-time': 'occurred_at' })
  assert.deepEqual(talks.conversation, { key: 'conversation_id', order: ['occurred_at', 'position'] })
  assert.deepEqual([talks.rows[7]?.occurred_at, talks.rows[7]?.position], ['2023-05-09T13:52:00Z', 8])
  const turns = TALKS.map(({ id, conversation_id, text }, n) => ({
    id,
    sessionId: conversation_id,
    turn: n,
    role: 'user',
    content: text,
  }))
  const sessions = await declared(context, { 'a.jsonl': lines(turns) })
  assert.deepEqual(sessions.conversation, { key: 'sessionId', order: ['turn'] })
  const rows = SAID.flatMap((text, n) => [
    `2024-05-01 10:0${n},Ada,${text.replaceAll(',', '')}`,
    `2024-05-01 11:0${n},Ben,Yes`,
  ])
  const chat = await declared(context, { 'family.csv': `timestamp,sender,message\n${rows.join('\n')}\n` })
  assert.deepEqual(chat.roles, {
    place: 'file_name',
    actor: 'sender',
    'primary-text': 'message',
    'event-time': 'occurred_at',
  })
  assert.deepEqual(chat.conversation, { key: 'file_name', order: ['occurred_at'] })
  assert.equal(chat.rows[0]?.file_name, 'family')
})

test('two people who write to each other have a conversation, and `who` names the author', async context => {
  const people = ['Ada', 'Ben']
  const letters = [...SAID, ...SAID].map((text, n) => ({
    from: people[n % 2] ?? '',
    to: people[(n + 1) % 2] ?? '',
    text: `${text} ${n}`,
    date: `2024-05-${10 + n}`,
  }))
  const pair = await declared(context, { 'pair.jsonl': lines(letters) })
  assert.deepEqual(pair.conversation, { key: 'file_name', order: ['occurred_at'] })
  const said = SAID.map((text, n) => ({
    who: people[n % 2] ?? '',
    text,
    thread: 't',
    at: `2024-05-${10 + n}`,
  }))
  const thread = await declared(context, { 'said.jsonl': lines(said) })
  assert.equal(thread.roles.actor, 'who')
})

test('rows with a text that nothing joins are no conversation', async context => {
  const some = (row: (n: number) => JsonObject) => ({
    'a.jsonl': lines(Array.from({ length: 12 }, (_, n) => row(n))),
  })
  const text = 'A text of several words that says what is thought of it'
  const date = (n: number) => `2024-05-${10 + n}`
  for (const rows of [
    some(n => ({ author: `a${n}`, text, date: date(n) })),
    some(n => ({ title: `Number ${n}`, text })),
    some(n => ({ from: ['Ada', 'Ben'][n % 2] ?? '', to: 'Cy', text, date: date(n) })),
    some(n => ({ author: 'Ada', text, date: date(n) })),
    some(n => ({ conversation_id: n, text, author: ['Ada', 'Ben'][n % 2] ?? '' })),
    some(n => ({ session: n % 3, name: `Number ${n}`, amount: n })),
  ])
    assert.equal((await declared(context, rows)).conversation, undefined, JSON.stringify(rows).slice(0, 120))
})

onEitherEngine(
  'an imported table of messages is read as a conversation, and the answer is found by its question',
  async engine => {
    await using place = await importPlace(engine)
    const file = join(place.folder, 'talks.jsonl')
    const other = Array.from({ length: 40 }, (_, n) => ({
      ...TALKS[0],
      id: `c:${n}`,
      conversation_id: `c${n >> 2}`,
      text: n % 2 === 0 ? 'They came on Monday, late.' : 'A parcel of books came.',
    }))
    await writeFile(file, lines([...other, ...TALKS]))
    await place.import(file)
    const { data } = await place.call<{ data: { record_key: string }[] }>(
      `/v1/search?limit=8&q=${encodeURIComponent('Did the parcel with the violin arrive on Monday?')}`,
    )
    const texts = []
    for (const { record_key } of data) {
      const { data: record } = await place.call<{ data: JsonObject }>(
        `/v1/streams/talks/records/${record_key}`,
      )
      texts.push(record.text)
    }
    assert.deepEqual(new Set(texts), new Set([SAID[1], SAID[2]]))
    const { messages } = await place.call<{ messages: { text: string; author: string }[] }>(
      `/v1/streams/talks/records/${data[0]?.record_key}/conversation`,
    )
    assert.deepEqual(valuesOf(messages, 'text'), [...SAID, ...SAID])
  },
)
