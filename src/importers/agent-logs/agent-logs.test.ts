import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'
import type { JsonObject } from '../../model/json.ts'

const lines = (...items: (JsonObject | string)[]) =>
  items.map(item => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n')
const turn = (
  uuid: string,
  type: string,
  content: JsonObject[] | string,
  more: JsonObject = {},
): JsonObject => ({
  uuid,
  parentUuid: null,
  sessionId: 's-1',
  type,
  timestamp: '2025-06-01T10:00:00.000Z',
  cwd: '/home/ada/shop',
  gitBranch: 'main',
  isSidechain: false,
  message: { role: type, content, ...(type === 'assistant' ? { model: 'claude-x' } : {}) },
  ...more,
})

test('a Claude Code session is read with tool calls, results and sub-sessions', async context => {
  const log = lines(
    { type: 'file-history-snapshot', messageId: 'x' },
    turn('u-1', 'user', 'Fix the till\nplease'),
    turn('u-2', 'assistant', [{ type: 'thinking', thinking: 'Where is it?' }]),
    turn('u-3', 'assistant', [{ type: 'tool_use', name: 'Bash', input: { command: 'ls' } }]),
    turn('u-4', 'user', [{ type: 'tool_result', content: [{ type: 'text', text: 'till.ts' }] }]),
    turn('u-5', 'assistant', [{ type: 'text', text: 'Done.' }], { isSidechain: true }),
    '{"broken',
  )
  const reading = await readingOf('claude-code', folderWith(context, { 'projects/shop/s-1.jsonl': log }))
  assert.deepEqual(
    rowsOf(reading.of('claude_code_messages'), 'role', 'kind', 'text', 'position', 'is_sidechain'),
    [
      ['user', 'message', 'Fix the till\nplease', 2, false],
      ['assistant', 'reasoning', 'Where is it?', 3, false],
      ['assistant', 'tool_call', 'Bash {"command":"ls"}', 4, false],
      ['user', 'tool_result', 'till.ts', 5, false],
      ['assistant', 'message', 'Done.', 6, true],
    ],
  )
  assert.equal(reading.of('claude_code_messages')[0]?.session_title, 'Fix the till')
  assert.deepEqual(rowsOf(reading.rejections, 'place', 'code'), [
    ['projects/shop/s-1.jsonl, line 7', 'not_json'],
  ])
})

test('a Codex session is read in its newer and its older layout', async context => {
  const item = (payload: JsonObject): JsonObject => ({
    timestamp: '2025-06-01T10:00:01.000Z',
    type: 'response_item',
    payload,
  })
  const newer = lines(
    { timestamp: '2025-06-01T10:00:00Z', type: 'session_meta', payload: { id: 'c-1', cwd: '/home/ada' } },
    item({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<environment>x</environment>' }],
    }),
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Count the loaves' }] }),
    {
      timestamp: '2025-06-01T10:00:01Z',
      type: 'event_msg',
      payload: { type: 'user_message', message: 'Count the loaves' },
    },
    item({ type: 'function_call', name: 'shell', arguments: '{"command":["wc"]}' }),
    item({ type: 'function_call_output', output: '7' }),
    item({ type: 'reasoning', summary: [], content: null }),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Seven.' }] }),
  )
  const older = lines(
    { id: 'c-2', timestamp: '2025-05-01T10:00:00.000Z', instructions: null },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
  )
  const folder = folderWith(context, {
    'a/rollout-1.jsonl': newer,
    'b/rollout-2.jsonl': older,
    'c.jsonl': '{"a":1}',
  })
  const reading = await readingOf('codex', folder)
  assert.deepEqual(rowsOf(reading.of('codex_messages'), 'session_title', 'kind', 'text', 'tool'), [
    ['Count the loaves', 'message', '<environment>x</environment>', null],
    ['Count the loaves', 'message', 'Count the loaves', null],
    ['Count the loaves', 'tool_call', '{"command":["wc"]}', 'shell'],
    ['Count the loaves', 'tool_result', '7', null],
    ['Count the loaves', 'message', 'Seven.', null],
    ['Hello', 'message', 'Hello', null],
  ])
  assert.deepEqual((await formatsOf(folder)).toSorted(), ['codex', 'table'])
})

test('a session that grew keeps the ids of its messages', async context => {
  const first = turn('u-1', 'user', 'Hello')
  const idsOf = async (log: string) =>
    (await readingOf('claude-code', folderWith(context, { 's.jsonl': log }))).records.map(({ key }) => key)
  const before = await idsOf(lines(first))
  const after = await idsOf(lines(first, turn('u-2', 'assistant', [{ type: 'text', text: 'Hi' }])))
  assert.deepEqual(after.slice(0, 1), before)
  assert.equal(after.length, 2)
})
