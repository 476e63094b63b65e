import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, lookalikeOf, readingOf, zipWith } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'
import type { JsonObject } from '../../model/json.ts'

const said = (
  uuid: string,
  sender: string,
  content: JsonObject[] | null,
  more: JsonObject = {},
): JsonObject => ({
  uuid,
  sender,
  text: `text of ${uuid}`,
  content,
  created_at: `2025-03-01T10:00:0${uuid.slice(-1)}.123456Z`,
  attachments: [],
  files: [],
  ...more,
})
const text = (words: string): JsonObject => ({ type: 'text', text: words })

const CONVERSATION: JsonObject = {
  uuid: 'c-1',
  name: 'Baking bread',
  summary: 'About bread.',
  created_at: '2025-03-01T10:00:00.000000Z',
  updated_at: '2025-03-01T11:00:00.000000Z',
  account: { uuid: 'account-1' },
  chat_messages: [
    said('m-1', 'human', [text('How do I bake bread?')], {
      attachments: [
        {
          file_name: 'flour.txt',
          file_size: 12,
          file_type: 'text/plain',
          extracted_content: 'rye and wheat',
        },
      ],
      files: [{ file_name: 'oven.jpg' }, { file_name: 'flour.txt' }],
    }),
    said('m-2', 'assistant', [
      { type: 'thinking', thinking: 'They have an oven.' },
      text('Mix and wait.'),
      { type: 'tool_use', name: 'web_search', input: { query: 'rye' } },
      { type: 'tool_result', name: 'web_search', content: [{ type: 'text', text: 'Rye is a grain.' }] },
      {
        type: 'tool_use',
        name: 'artifacts',
        input: {
          id: 'recipe',
          command: 'create',
          type: 'text/markdown',
          title: 'Recipe',
          content: '# Bread',
        },
      },
    ]),
    said('m-3', 'assistant', [
      text(
        '<antThinking>hm</antThinking>See <antArtifact identifier="plan" type="text/html" title="Plan"><b>x</b></antArtifact>',
      ),
    ]),
    said('m-4', 'human', null),
    said('m-5', 'assistant', [{ type: 'text', text: null }]),
  ],
}

test('a Claude conversation keeps every message in order, with artifacts, attachments and tool calls', async context => {
  const reading = await readingOf('claude', zipWith(context, { 'data/conversations.json': [CONVERSATION] }))
  const messages = reading.of('claude_messages')
  assert.deepEqual(rowsOf(messages, 'position', 'sender', 'text', 'source_id'), [
    [1, 'human', 'How do I bake bread?', 'm-1'],
    [2, 'assistant', 'Mix and wait.', 'm-2'],
    [3, 'assistant', 'See [Artifact: Plan]', 'm-3'],
    [4, 'human', 'text of m-4', 'm-4'],
    [5, 'assistant', 'text of m-5', 'm-5'],
  ])
  assert.deepEqual(messages[0]?.attachments, [
    { name: 'flour.txt', mime_type: 'text/plain', size_bytes: 12, text: 'rye and wheat' },
    { name: 'oven.jpg', mime_type: null, size_bytes: null, text: null },
  ])
  assert.equal(messages[1]?.thinking, 'They have an oven.')
  assert.deepEqual(messages[1]?.tool_calls, [
    { tool: 'web_search', input: '{"query":"rye"}', result: 'Rye is a grain.' },
  ])
  assert.deepEqual(messages[1]?.artifacts, [
    { name: 'recipe', title: 'Recipe', mime_type: 'text/markdown', language: null, text: '# Bread' },
  ])
  assert.deepEqual(messages[2]?.artifacts, [
    { name: 'plan', title: 'Plan', mime_type: 'text/html', language: null, text: '<b>x</b>' },
  ])
  assert.equal(messages[2]?.created_at, '2025-03-01T10:00:03.123Z')
  assert.equal(reading.finding.account, 'account-1')
  const [conversation] = reading.of('claude_conversations')
  assert.deepEqual(
    [conversation?.title, conversation?.message_count, conversation?.opening],
    ['Baking bread', 5, 'How do I bake bread?'],
  )
})

test('only the branch that Claude shows is marked as shown', async context => {
  const branched = {
    ...CONVERSATION,
    current_leaf_message_uuid: 'm-3',
    chat_messages: [
      said('m-1', 'human', [text('a')], { parent_message_uuid: '00000000-0000-4000-8000-000000000000' }),
      said('m-2', 'assistant', [text('b')], { parent_message_uuid: 'm-1' }),
      said('m-3', 'assistant', [text('c')], { parent_message_uuid: 'm-1' }),
    ],
  }
  const reading = await readingOf('claude', folderWith(context, { 'conversations.json': [branched] }))
  const messages = reading.of('claude_messages')
  assert.deepEqual(valuesOf(messages, 'is_shown'), [true, false, true])
  assert.deepEqual(valuesOf(messages, 'parent_id'), [null, messages[0]?.id, messages[0]?.id])
})

test('projects and their documents are imported; of two exports side by side the newer conversation counts', async context => {
  const older = { ...CONVERSATION, updated_at: '2025-01-01T00:00:00Z', chat_messages: [], name: 'Old' }
  const project = {
    uuid: 'p-1',
    name: 'Bakery',
    description: 'A shop',
    prompt_template: 'Be brief.',
    created_at: '2025-02-01T00:00:00Z',
    docs: [{ uuid: 'd-1', filename: 'menu.md', content: 'Rolls' }],
  }
  const folder = folderWith(context, {
    'new/conversations.json': [CONVERSATION],
    'new/projects.json': [project],
    'new/users.json': [{ uuid: 'account-1', full_name: 'Ada', email_address: 'ada@example.org' }],
    'old/conversations.json': [older],
  })
  const reading = await readingOf('claude', folder)
  assert.deepEqual(valuesOf(reading.of('claude_conversations'), 'title'), ['Baking bread'])
  assert.deepEqual(rowsOf(reading.of('claude_projects'), 'kind', 'title', 'text'), [
    ['project', 'Bakery', 'A shop'],
    ['document', 'menu.md', 'Rolls'],
  ])
  assert.equal(reading.finding.files.length, 4)
})

test('a broken conversation is rejected with its place, and a broken export is refused', async context => {
  const broken = `[${JSON.stringify(CONVERSATION)}, {"uuid": "c-2", "chat_messages": 7}, {"uuid": oops}]`
  const reading = await readingOf('claude', folderWith(context, { 'conversations.json': broken }))
  assert.deepEqual(rowsOf(reading.rejections, 'place', 'code'), [
    ['conversations.json, conversation 2', 'not_a_conversation'],
    ['conversations.json, conversation 3', 'not_json'],
  ])
  const unreadable = folderWith(context, { 'conversations.json': '[{"uuid": "c", "chat_messages": [oops]}]' })
  assert.match(
    (await lookalikeOf('claude', unreadable)) ?? '',
    /layout of a Claude export but cannot be read/,
  )
  assert.deepEqual(await formatsOf(folderWith(context, { 'c.json': CONVERSATION })), ['claude'])
})

test('each result belongs to the tool call that it names, also if calls were made at the same time', async context => {
  const call = (id: string, query: string) => ({ type: 'tool_use', id, name: 'web_search', input: { query } })
  const result = (id: string, words: string) => ({
    type: 'tool_result',
    tool_use_id: id,
    name: 'web_search',
    content: [text(words)],
  })
  const blocks = [call('t-1', 'rye'), call('t-2', 'oats'), result('t-1', 'Rye.'), result('t-2', 'Oats.')]
  const conversation = { ...CONVERSATION, chat_messages: [said('m-1', 'assistant', blocks)] }
  const reading = await readingOf('claude', folderWith(context, { 'conversations.json': [conversation] }))
  assert.deepEqual(reading.of('claude_messages')[0]?.tool_calls, [
    { tool: 'web_search', input: '{"query":"rye"}', result: 'Rye.' },
    { tool: 'web_search', input: '{"query":"oats"}', result: 'Oats.' },
  ])
})

test('what Claude remembers is imported, in a file for all accounts or in one for each', async context => {
  const memory = {
    conversations_memory: 'Ada bakes rye bread.',
    project_memories: { 'p-1': 'The shop opens at six.' },
    account_uuid: 'account-1',
  }
  const one = { 'conversations.json': [CONVERSATION], 'memories.json': [memory] }
  const each = { 'conversations.json': [CONVERSATION], 'memories/account-1.json': memory }
  for (const files of [one, each]) {
    const path = zipWith(context, files)
    assert.deepEqual(await formatsOf(path), ['claude'])
    const { of } = await readingOf('claude', path)
    const memories = of('claude_memories')
    assert.deepEqual(valuesOf(memories, 'text'), ['Ada bakes rye bread.', 'The shop opens at six.'])
    assert.equal(memories[0]?.project_id, null)
  }
})

test('a file that Claude writes is an artifact', async context => {
  const answer = said('m-1', 'assistant', [
    {
      type: 'tool_use',
      id: 't1',
      name: 'create_file',
      input: { path: '/out/plan.md', file_text: '# Plan\nFirst' },
    },
    {
      type: 'tool_result',
      tool_use_id: 't1',
      name: 'create_file',
      content: [{ type: 'text', text: 'Created.' }],
    },
    { type: 'tool_use', id: 't2', name: 'create_file', input: { path: '/out/x' } },
  ])
  const conversation = { ...CONVERSATION, chat_messages: [answer] }
  const reading = await readingOf('claude', folderWith(context, { 'conversations.json': [conversation] }))
  const [message] = reading.of('claude_messages')
  assert.deepEqual(message?.artifacts, [
    { name: '/out/plan.md', title: 'plan.md', mime_type: null, language: null, text: '# Plan\nFirst' },
  ])
  assert.deepEqual(message?.tool_calls, [{ tool: 'create_file', input: '{"path":"/out/x"}', result: null }])
})
