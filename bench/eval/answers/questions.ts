import type { Asker, Received, ShownRecord } from './channel.ts'
import type { Expected, Facts } from './facts.ts'
import type { Learned } from './learned.ts'
import { missingOf } from './shown.ts'
import type { AnswersWorld } from './world.ts'

export interface Question {
  no: string
  question: string
  /** The limits in the text channel; structured content may have three times the bytes. */
  reach(facts: Facts): { calls: number; bytes: number }
  /** Whether it needs names of streams and fields, which a session learns once. */
  learns?: true
  /** An argument that is needed to ask the question. */
  needs?: { tool: string; argument: string }
  /** Null if the answer was found; otherwise what is missing. */
  run(asker: Asker, facts: Facts, world: AnswersWorld, learned: Learned | null): Promise<string | null>
}

const WINDOW_BYTES = 12_000
const within = (calls: number, bytes: number) => () => ({ calls, bytes })

/** The first record that shows what is expected. */
function find(received: Received, expected: Expected): ShownRecord | undefined {
  return received.records().find(record => missingOf(record, expected) === null)
}

function missing(received: Received, expected: Expected): string | null {
  if (find(received, expected)) return null
  const [first] = received.records()
  return first ? (missingOf(first, expected) ?? 'nothing') : `no hit: ${received.body.slice(0, 200)}`
}

/** What is missing from the received text. */
function lacks(received: Received, texts: readonly string[]): string | null {
  const absent = texts.filter(text => !received.body.includes(text))
  return absent.length === 0 ? null : `not said: ${absent.join(' · ')}`
}

/** Streams of messages say so in their names, which are in the ids. */
const MESSAGE = /\/\w*(?:messages|emails):/

/** The whole conversation around the first message found, by the cursors in each window. */
async function readThrough(asker: Asker, found: Received): Promise<ShownRecord[] | string> {
  const hit = found.records().find(({ id }) => MESSAGE.test(id))
  if (!hit) return 'no hit'
  let window = (await asker.ask('read_conversation', { id: hit.id })).window()
  const messages = [...window.messages]
  const { id, previous } = window
  while (window.next !== null) {
    window = (await asker.ask('read_conversation', { id, cursor: window.next })).window()
    messages.push(...window.messages)
  }
  for (let cursor = previous; cursor !== null; cursor = window.previous) {
    window = (await asker.ask('read_conversation', { id, cursor })).window()
    messages.unshift(...window.messages)
  }
  return messages
}

export const QUESTIONS: readonly Question[] = [
  {
    no: '1',
    question: 'Who suggested X in Slack, and when?',
    reach: within(2, 6_000),
    run: async (asker, { suggested: { search, expected } }) =>
      missing(await asker.ask('search', search), expected),
  },
  {
    no: '2',
    question: 'What was decided in this mail thread?',
    reach: ({ thread }) => {
      const windows = Math.ceil(thread.bytes / WINDOW_BYTES)
      return { calls: 2 + windows, bytes: 1_800 + WINDOW_BYTES * (1 + windows) }
    },
    async run(asker, { thread }) {
      const messages = await readThrough(asker, await asker.ask('search', thread.search))
      if (typeof messages === 'string') return messages
      if (messages.length !== thread.messages) return `${messages.length} of ${thread.messages} messages`
      return messages.some(({ shown }) => shown.includes(thread.decided)) ? null : 'the decision is not read'
    },
  },
  {
    no: '4a',
    question: 'When did a person last write to me, about what? (part of a name)',
    reach: within(1, 2_000),
    run: (asker, { lastFrom }) => lastFromPerson(asker, lastFrom[0]),
  },
  {
    no: '4b',
    question: 'The same by the whole name',
    reach: within(1, 2_000),
    run: (asker, { lastFrom }) => lastFromPerson(asker, lastFrom[1]),
  },
  {
    no: '4c',
    question: 'The same by the address',
    reach: within(1, 2_000),
    run: (asker, { lastFrom }) => lastFromPerson(asker, lastFrom[2]),
  },
  {
    no: '5',
    question: 'The whole ChatGPT conversation about X, in order',
    reach: within(2, 10_000),
    async run(asker, { conversation }) {
      const messages = await readThrough(asker, await asker.ask('search', conversation.search))
      if (typeof messages === 'string') return messages
      if (messages.length !== conversation.messages)
        return `${messages.length} of ${conversation.messages} messages`
      const isOrdered =
        messages.at(0)?.shown.includes(conversation.first) &&
        messages.at(-1)?.shown.includes(conversation.last)
      return isOrdered ? null : 'the order is another one'
    },
  },
  {
    no: '6',
    question: 'What did I ask ChatGPT about X?',
    reach: within(1, 6_000),
    run: async (asker, { asked }) =>
      missing(await asker.ask('search', asked.search), { words: asked.question, author: 'user' }),
  },
  {
    no: '7',
    question: 'Everything a person said in channel C in a month',
    reach: within(2, 16_000),
    async run(asker, { saidInChannel: { person, channel, month, said } }) {
      const query = `from:"${person}" in:"${channel}" on:${month}`
      return lacks(await asker.ask('query_records', { query }), said)
    },
  },
  {
    no: '8a',
    question: 'Which mails have a PDF attached?',
    reach: within(1, 2_000),
    async run(asker, { attachment: { type, subjects } }) {
      return lacks(await asker.ask('search', { query: `type:${type}` }), subjects)
    },
  },
  {
    no: '8b',
    question: 'What does the PDF say?',
    reach: within(3, 2_000 + 2 * WINDOW_BYTES),
    async run(asker, { attachment: { type, text } }) {
      const [hit] = (await asker.ask('search', { query: `type:${type}` })).records()
      if (!hit) return 'no hit'
      const opened = await asker.ask('fetch', { id: hit.id })
      if (opened.body.includes(text)) return null
      for (const { tool, args } of opened.calls())
        if ((await asker.ask(tool, args)).body.includes(text)) return null
      return 'the text of the attachment is not read'
    },
  },
  {
    no: '9',
    question: "What happened on a day of the owner's?",
    reach: within(1, 8_000),
    async run(asker, { day }) {
      const listed = await asker.ask('query_records', { since: day.day, until: day.day })
      const wrong = day.not.find(words => listed.body.includes(words))
      return wrong === undefined ? lacks(listed, day.words) : `another day: ${wrong}`
    },
  },
  {
    no: '10',
    question: 'Everything about a person across all sources',
    reach: within(1, 6_000),
    run: async (asker, { person }) => lacks(await asker.ask('search', person.search), person.sources),
  },
  {
    no: '11a',
    question: 'When was X last mentioned?',
    reach: within(1, 2_000),
    run: async (asker, { mentioned: { word, last } }) =>
      missing(await asker.ask('search', { query: word, sort: 'newest', limit: 1 }), last),
  },
  {
    no: '11b',
    question: 'When was X first mentioned?',
    reach: within(1, 2_000),
    run: async (asker, { mentioned: { word, first } }) =>
      missing(await asker.ask('search', { query: word, sort: 'oldest', limit: 1 }), first),
  },
  {
    no: '12',
    question: 'All my mail about X, not Slack (several mailboxes)',
    reach: within(1, 6_000),
    async run(asker, { mailAlone: { search, mailboxes, not } }) {
      const found = await asker.ask('search', search)
      return found.body.includes(not) ? `${not} is among the hits` : lacks(found, mailboxes)
    },
  },
  {
    no: '13',
    question: 'Quote the sentence and give me a link that opens exactly it',
    reach: within(1, 6_000),
    async run(asker, { quoted }, { owner }) {
      const found = await asker.ask('search', quoted.search)
      const [hit] = found.records()
      if (!hit?.shown.includes(quoted.quote)) return 'the sentence is not shown'
      const link = new URL(found.linkOf(hit))
      const { status, html } = await owner.get(link.pathname + link.search)
      const marked = /<mark[^>]*>([\s\S]*?)<\/mark>/.exec(html)?.[1] ?? ''
      if (status !== 200 || marked === '') return `${link.href} marks nothing (${status})`
      return hit.shown.includes(marked) ? null : `the link marks something else: ${marked}`
    },
  },
  {
    no: '14a',
    question: 'Why does it find nothing? (a name that is written wrong)',
    reach: within(1, 2_000),
    async run(asker, { nothing: { person, sources } }) {
      const found = await asker.ask('search', { query: `from:"${person.wrong}"` })
      return lacks(found, [person.wrong, person.right, ...sources, '/apps'])
    },
  },
  {
    no: '14b',
    question: 'Why does it find nothing? (a filter value)',
    reach: within(1, 2_000),
    async run(asker, { nothing: { filter } }) {
      const { stream, field, value, count } = filter
      const listed = await asker.ask('query_records', { stream, filter: { [field]: value } })
      return lacks(listed, [value, `${count} `, field, '/apps'])
    },
  },
  {
    no: '14c',
    question: 'Why does it find nothing? (the wrong time)',
    reach: within(1, 2_000),
    async run(asker, { nothing: { time, sources } }) {
      const found = await asker.ask('search', { ...time.search, until: time.until })
      return lacks(found, ['Europe/Berlin', ...sources, '/apps'])
    },
  },
]

async function lastFromPerson(asker: Asker, asked: Facts['lastFrom'][number] | undefined) {
  if (!asked) return 'no such person'
  const query = `from:${/\s/.test(asked.person) ? `"${asked.person}"` : asked.person}`
  const [newest] = (await asker.ask('search', { query, limit: 3 })).records()
  return newest ? missingOf(newest, asked.expected) : 'no hit'
}
