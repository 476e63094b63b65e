import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimeZone } from '../../model/time.ts'
import { askedOrder } from './asked-order.ts'

const CALENDAR = { zone: new TimeZone('UTC'), now: new Date('2026-03-10T12:00:00Z') }

const ASKED: [query: string, sort: string, read: string, kind: string | null][] = [
  ['Latest mail from Dirk', 'newest', 'from:Dirk', 'mail'],
  ['what is the last message of Hedda Ruusk?', 'newest', 'from:"Hedda Ruusk"', 'message'],
  ['the most recent e-mails to the board about the roof', 'newest', 'to:board the roof', 'e-mails'],
  ['newest note about the harbour', 'newest', 'the harbour', 'note'],
  ['show me the first mail about the roof from Dirk', 'oldest', 'from:Dirk the roof', 'mail'],
  ['oldest letter', 'oldest', '*', 'letter'],
  ['latest mail in 2019', 'newest', 'on:2019', 'mail'],
  ['last mail from yesterday', 'newest', 'on:yesterday', 'mail'],
  ['latest mail from:dirk', 'newest', 'from:dirk', 'mail'],
  ['When did Dirk last write to me about the engine?', 'newest', 'from:Dirk the engine', null],
  ['when did I first mention the heron', 'oldest', 'from:me the heron', null],
  ['when was the heron last mentioned?', 'newest', 'the heron', null],
  ['last mail with an attachment from Dirk', 'newest', 'has:attachment from:Dirk', 'mail'],
  ['first mention of the heron', 'oldest', 'the heron', 'mention'],
  ['last mention of the heron by Dirk', 'newest', 'from:Dirk the heron', 'mention'],
]

test('AN-24 a query for the next or last event is read as one of those after or before now', () => {
  for (const [query, sort, read] of [
    ['When is my next meeting with Jürgen Weiß?', 'oldest', 'with:"Jürgen Weiß"'],
    ['when was my last meeting with Zoë about the budget', 'newest', 'with:Zoë the budget'],
    ['upcoming events', 'oldest', '*'],
    ['When did I last meet Ann?', 'newest', 'with:Ann'],
    ['when do we next meet with Ann', 'oldest', 'with:Ann'],
  ] as const)
    assert.deepEqual(
      askedOrder(query, CALENDAR),
      { sort, query: read, kind: null, events: sort === 'oldest' ? 'after' : 'before' },
      query,
    )
})

test('AN-24 a query that asks for the newest or oldest is read as a search by time', () => {
  for (const [query, sort, read, kind] of ASKED)
    assert.deepEqual(askedOrder(query, CALENDAR), { sort, query: read, kind }, query)
  for (const query of [
    'last will of Dirk',
    '"latest mail from Dirk"',
    'first things first',
    'the latest',
    'mail from last week',
    'my first car',
  ])
    assert.equal(askedOrder(query, CALENDAR), null, query)
})

test('AN-24 a query for the messages of someone, or with an attachment, is read as such', () => {
  for (const [query, read, kind] of [
    ['all emails from Dirk about the engine', 'from:Dirk the engine', 'emails'],
    ['show me messages with Hedda Ruusk', 'with:"Hedda Ruusk"', 'messages'],
    ['notes by Ann', 'from:Ann', 'notes'],
    ['which emails have a PDF attached?', 'type:pdf', 'emails'],
    ['messages with attachments from Dirk about the roof', 'has:attachment from:Dirk the roof', 'messages'],
    ['mails with a PDF attachment from 2005', 'type:pdf on:2005', 'mails'],
  ] as const) {
    assert.deepEqual(askedOrder(query, CALENDAR), { sort: null, query: read, kind }, query)
    assert.deepEqual(askedOrder(query, CALENDAR, 'newest'), { sort: 'newest', query: read, kind }, query)
  }
  for (const query of ['messages to me', 'mail from 2019', 'emails about the engine', 'a letter from Dirk'])
    assert.equal(askedOrder(query, CALENDAR), null, query)
})

test('AN-24 a query may say how many it asks for', () => {
  const read = { sort: 'newest', query: 'from:Dirk', kind: 'mails', limit: 5 }
  assert.deepEqual(askedOrder('my last 5 mails from Dirk', CALENDAR), read)
})

test('AN-24 a time at the end of a query is not a part of a name', () => {
  for (const [query, sort, read] of [
    ['mails from Jeff King last week', null, 'from:"Jeff King" on:"last week"'],
    ['letters by Ann since June 2023', null, 'from:Ann since:2023-06'],
    ['latest mail from Dirk to Ann about the roof in 2019', 'newest', 'from:Dirk to:Ann the roof on:2019'],
    ['mails that Dirk sent me last week', null, 'from:Dirk on:"last week"'],
    ['notes I wrote about the roof', null, 'from:me the roof'],
    ['letters from Ann in the last 30 days', null, 'from:Ann on:"last 30 days"'],
    ['do I have any mails from Dirk?', null, 'from:Dirk'],
    ['did Dirk ever reply to Ann?', 'newest', 'from:Dirk to:Ann'],
    ['has Ann said anything about the roof', null, 'from:Ann the roof'],
    ['what did Dirk say last week?', 'newest', 'from:Dirk on:"last week"'],
    ['What did I write to Ann about the roof', null, 'from:me to:Ann the roof'],
    ['when did I last talk to Ann about the roof', 'newest', 'with:Ann the roof'],
    ['when did we last write to Ann', 'newest', 'from:me to:Ann'],
  ] as const) {
    const { sort: order, query: asked } = askedOrder(query, CALENDAR) ?? {}
    assert.deepEqual([order, asked], [sort, read], query)
  }
  for (const query of [
    'messages from gestern',
    'what did they say about the roof',
    'what did Ann say when it rained',
  ])
    assert.equal(askedOrder(query, CALENDAR), null, query)
})

test('AN-24 with an order that is given, the words need not ask for it', () => {
  const roof = { sort: 'oldest', query: 'the roof', kind: 'mails' }
  assert.deepEqual(askedOrder('mails about the roof', CALENDAR, 'oldest'), roof)
  assert.deepEqual(askedOrder('oldest mails about the roof', CALENDAR, 'oldest'), roof)
  assert.equal(askedOrder('latest mails about the roof', CALENDAR, 'oldest'), null)
  assert.equal(askedOrder('the roof', CALENDAR, 'oldest'), null)
  assert.equal(askedOrder('emails', CALENDAR, 'newest'), null)
})

test('AN-24 a query for the events of a time is read as one for that time', () => {
  for (const [query, read] of [
    ['what meetings did I have last week?', 'on:"last week"'],
    ['appointments in 2010', 'on:2010'],
    ['do we have any meetings with Zoë tomorrow', 'with:Zoë on:tomorrow'],
    ['calendar events about the budget in May 2023', 'the budget on:2023-05'],
  ] as const)
    assert.deepEqual(
      askedOrder(query, CALENDAR),
      { sort: null, query: read, kind: null, events: 'at' },
      query,
    )
  for (const query of ['meeting notes from 2023', 'meetings with Zoë', 'events'])
    assert.equal(askedOrder(query, CALENDAR), null, query)
})
