import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimeZone } from '../../model/time.ts'
import { askedCount } from './asked-count.ts'

const CALENDAR = { zone: new TimeZone('UTC'), now: new Date('2026-03-10T12:00:00Z') }

test('AN-42 a question for a number is read as what is counted, by whom and when', () => {
  for (const [query, read] of [
    ['How many emails do I have?', { noun: 'emails', query: '' }],
    ['how many notes are there about the roof', { noun: 'notes', query: 'the roof' }],
    [
      'how many emails did Hedda Ruusk send me in 2019',
      { noun: 'emails', query: 'from:"Hedda Ruusk"', since: '2019', until: '2019' },
    ],
    [
      'how many messages in the boat channel per week since June 2024',
      { noun: 'messages', query: 'in:boat', since: '2024-06', granularity: 'week' },
    ],
    ['number of meetings last week', { noun: 'meetings', query: '', since: 'last week', until: 'last week' }],
    [
      'who wrote the most emails in December 2023',
      { noun: 'emails', query: '', group_by: 'from', since: '2023-12', until: '2023-12' },
    ],
    // The last May, not the next one.
    ['how many mails in May', { noun: 'mails', query: '', since: '2025-05', until: '2025-05' }],
    [
      'How often did I mention the heron per month?',
      { noun: null, query: 'from:me the heron', granularity: 'month' },
    ],
    [
      'how often did Dirk write to me in 2019',
      { noun: 'messages', query: 'from:Dirk', since: '2019', until: '2019' },
    ],
    [
      'how often was the heron mentioned in 2019',
      { noun: null, query: 'the heron', since: '2019', until: '2019' },
    ],
  ] as const)
    assert.deepEqual(askedCount(query, CALENDAR), read, query)
  for (const query of ['emails from Hedda', 'how many of us came', 'how often it rains', 'most mail is dull'])
    assert.equal(askedCount(query, CALENDAR), null, query)
})
