import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf, zipWith } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'
import type { JsonObject } from '../../model/json.ts'

const conversation = (...messages: JsonObject[]) => ({
  id: 'c-1',
  title: 'Baking bread',
  inserted_at: '2025-01-28T10:00:00.000000+08:00',
  updated_at: '2025-01-28T10:01:00.000000+08:00',
  mapping: {
    root: { id: 'root', parent: null, children: ['1'], message: null },
    ...Object.fromEntries(
      messages.map((message, index) => {
        const parent = index === 0 ? 'root' : String(index)
        const children = index + 1 < messages.length ? [String(index + 2)] : []
        return [String(index + 1), { id: String(index + 1), parent, children, message }]
      }),
    ),
  },
})

test('conversations of DeepSeek are read in both layouts, and not as those of ChatGPT', async context => {
  const at = { files: [], model: 'deepseek-reasoner', inserted_at: '2025-01-28T10:00:30.500000+08:00' }
  const newer = conversation(
    { ...at, files: [{ file_name: 'loaf.png' }], fragments: [{ type: 'REQUEST', content: 'How long?' }] },
    {
      ...at,
      fragments: [
        { type: 'THINK', content: 'They have an oven.' },
        { type: 'SEARCH', results: [] },
        { type: 'RESPONSE', content: 'An hour.' },
      ],
    },
  )
  const older = conversation(
    { ...at, content: 'How long?', reasoning_content: null },
    { ...at, content: 'An hour.', reasoning_content: 'They have an oven.' },
  )
  for (const layout of [newer, older]) {
    const path = zipWith(context, { 'conversations.json': [layout], 'user.json': { user_id: 'u-1' } })
    assert.deepEqual(await formatsOf(path), ['deepseek'])
    const { of, finding } = await readingOf('deepseek', path)
    assert.equal(finding.account, 'u-1')
    const messages = of('deepseek_messages')
    assert.deepEqual(rowsOf(messages, 'sender', 'text', 'thinking', 'position'), [
      ['user', 'How long?', null, 1],
      ['assistant', 'An hour.', 'They have an oven.', 2],
    ])
    assert.equal(messages[1]?.sent_at, '2025-01-28T02:00:30.500Z')
    assert.equal(messages[1]?.reply_to_id, messages[0]?.id)
    assert.equal(messages[0]?.chat, 'Baking bread')
  }
})

test('a conversation without an id is rejected, and the next one is read', async context => {
  const path = folderWith(context, {
    'conversations.json': [{ mapping: {} }, conversation({ content: 'Hello' })],
  })
  const { of, rejections } = await readingOf('deepseek', path)
  assert.equal(of('deepseek_messages').length, 1)
  assert.deepEqual(valuesOf(rejections, 'code'), ['not_a_conversation'])
})
