import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorTime } from '../../test/processor-time.ts'
import { someNames } from './some-names.ts'

const STREAMS = ['calendar_events', 'contacts', 'emails', 'notes', 'slack_channels', 'slack_messages']

test('ER-1: names that resemble what was asked for come first', () => {
  for (const [asked, names] of [
    ['Emails', 'emails, calendar_events and 4 more'],
    ['slack', 'slack_channels, slack_messages and 4 more'],
    ['message', 'slack_messages, calendar_events and 4 more'],
    ['event_notes', 'notes, calendar_events and 4 more'],
    ['sms', 'calendar_events, contacts and 4 more'],
    [undefined, 'calendar_events, contacts and 4 more'],
  ] as const)
    assert.equal(someNames(STREAMS, 2, asked), names, asked)
  assert.equal(someNames(['amount', 'date', 'amount'], 5, 'Amount'), 'amount, date')
})

test('a very long text is compared with many names at once', () => {
  const names = Array.from({ length: 60 }, (_, n) => `stream_number_${n}`)
  const spent = processorTime()
  assert.equal(someNames(names, 1, 'abc number def '.repeat(10_000)), 'stream_number_0 and 59 more')
  assert.ok(spent() < 100, `${spent()} ms`)
})
