import assert from 'node:assert/strict'
import { test } from 'node:test'
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
