import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedPlace, soughtIn } from './asked-place.ts'

test('AN-24 a query that names a channel, a group or a folder is read as one for what is there', () => {
  for (const [query, name, sought] of [
    ['Messages in the design-thinking channel', 'design-thinking', ''],
    ['links shared in #datasets', 'datasets', 'http*'],
    ['what was said in #general?', 'general', ''],
    ['what was discussed in #general last week', 'general', 'what was discussed last week'],
    ['in the group Ski Trip', 'Ski Trip', ''],
    ['the boat in the Ski Trip group chat', 'Ski Trip', 'the boat'],
    ['plans in our ski trip group about the boat', 'ski trip', 'plans about the boat'],
    ['#general', 'general', ''],
    ['what is in my folder "Old taxes"', 'Old taxes', ''],
    ['Nachrichten in der Gruppe Familie', 'Familie', ''],
    ['mensajes en el canal general', 'general', ''],
  ] as const) {
    const place = askedPlace(query)
    assert.deepEqual(place && [place.name, soughtIn(place)], [name, sought], query)
  }
  for (const query of [
    'issue #42',
    'what I said in the chat with Maria',
    'pictures in the group chat',
    'the channel',
    'the harbour in general',
    'https://example.org/#top',
  ])
    assert.equal(askedPlace(query), null, query)
})
