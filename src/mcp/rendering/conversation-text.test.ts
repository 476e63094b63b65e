import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversationText } from './conversation-text.ts'

const CONVERSATION = {
  id: 'cin_a/talks:t',
  title: 'Lists in Python',
  place: 'Lists in Python' as string | null,
  previous_cursor: null,
  next_cursor: null,
  complete: true,
  left_out: 0,
  messages: [],
}

test('AN-22 a conversation whose place is its title names it once', () => {
  const header = (place: string | null) => JSON.parse(conversationText({ ...CONVERSATION, place }))
  assert.equal(header('Lists in Python').title, 'Lists in Python')
  assert.ok(!('place' in header('Lists in Python')))
  assert.equal(header('general').place, 'general')
})
