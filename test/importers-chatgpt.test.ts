import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversationOf } from '../src/importers/chatgpt/records.ts'
import type { Json, JsonObject } from '../src/model/json.ts'
import { folderWith, formatsOf, lookalikeOf, readingOf, zipWith } from './imported-folder.ts'
import { rowsOf, valuesOf } from './rows-of.ts'

const node = (
  id: string,
  parent: string | null,
  children: string[],
  message: JsonObject | null,
): JsonObject => ({
  [id]: { id, parent, children, message: message && { id, ...message } },
})
const said = (
  role: string,
  content: Json,
  create_time: number | null,
  more: JsonObject = {},
): JsonObject => ({
  author: { role, name: null },
  create_time,
  content: typeof content === 'string' ? { content_type: 'text', parts: [content] } : content,
  recipient: 'all',
  ...more,
})

const TREE = {
  title: 'Baking bread',
  create_time: 1700000000,
  update_time: 1700000900.5,
  conversation_id: 'c-1',
  default_model_slug: 'gpt-4o',
  current_node: 'n4b',
  mapping: {
    ...node('root', null, ['n1'], null),
    ...node('n1', 'root', ['n2'], said('system', '', null)),
    ...node('n2', 'n1', ['n3a', 'n3b'], said('user', 'How do I bake bread?', 1700000001)),
    ...node(
      'n3a',
      'n2',
      ['n4a'],
      said('assistant', 'Buy it.', 1700000002, { metadata: { model_slug: 'gpt-4' } }),
    ),
    ...node('n4a', 'n3a', [], said('user', 'No, really.', 1700000003)),
    ...node(
      'n3b',
      'n2',
      ['n4b'],
      said('assistant', 'Mix flour and water.\ue200cite\ue202turn0\ue201', null, {
        metadata: {
          model_slug: 'gpt-4o',
          content_references: [{ items: [{ url: 'https://example.org/bread' }] }],
        },
      }),
    ),
    ...node('n4b', 'n3b', [], said('user', 'Thanks', 1700000005)),
  },
}

test('the visible branch of a ChatGPT conversation is in order and the others are marked', async context => {
  const reading = await readingOf('chatgpt', folderWith(context, { 'conversations.json': [TREE] }))
  const messages = reading.of('chatgpt_messages')
  const seen = (shown: boolean) =>
    messages
      .filter(message => message.is_shown === shown)
      .map(message => [message.position, message.source_id])
  assert.deepEqual(seen(true), [
    [2, 'n2'],
    [3, 'n3b'],
    [4, 'n4b'],
  ])
  assert.deepEqual(seen(false), [
    [1, 'n1'],
    [3, 'n3a'],
    [4, 'n4a'],
  ])
  const answer = messages.find(message => message.source_id === 'n3b')
  assert.equal(answer?.text, 'Mix flour and water.')
  assert.deepEqual(answer?.links, ['https://example.org/bread'])
  assert.deepEqual([answer?.created_at, answer?.time_from], ['2023-11-14T22:13:21Z', 'neighbour'])
  assert.equal(answer?.parent_id, messages.find(message => message.source_id === 'n2')?.id)
  const system = messages[0]
  assert.deepEqual([system?.is_hidden, system?.time_from], [true, 'conversation'])
  const [conversation] = reading.of('chatgpt_conversations')
  assert.deepEqual(
    [conversation?.title, conversation?.opening, conversation?.message_count, conversation?.shown_count],
    ['Baking bread', 'How do I bake bread?', 6, 3],
  )
  assert.deepEqual([conversation?.branch_count, conversation?.updated_at], [2, '2023-11-14T22:28:20.500Z'])
  assert.ok(messages.every(message => message.conversation_id === conversation?.id))
})

test('a message of ChatGPT that says nothing is kept, but a search for its conversation does not find it', () => {
  const { messages } = conversationOf(TREE, 'c-1', 'c-1')
  const titles = new Map(messages.map(({ nodeId, data }) => [nodeId, data.conversation_title]))
  assert.deepEqual([titles.get('n1'), titles.get('n2')], [null, 'Baking bread'])
})

test('every kind of ChatGPT content becomes readable text', async context => {
  const kinds: [Json, string | null][] = [
    [{ content_type: 'code', language: 'python', text: 'print(1)' }, 'print(1)'],
    [{ content_type: 'execution_output', text: '1' }, '1'],
    [
      { content_type: 'tether_quote', title: 'T', text: 'quoted', url: 'https://e.org' },
      'T\nquoted\nhttps://e.org',
    ],
    [{ content_type: 'tether_browsing_display', result: 'R', summary: 'S' }, 'S\nR'],
    [{ content_type: 'user_editable_context', user_profile: 'P', user_instructions: 'I' }, 'P\nI'],
    [{ content_type: 'thoughts', thoughts: [{ summary: 'Thinking', content: 'hard' }] }, 'Thinking\nhard'],
    [{ content_type: 'reasoning_recap', content: 'Thought for 3 s' }, 'Thought for 3 s'],
    [{ content_type: 'system_error', name: 'Oops', text: 'failed' }, 'Oops\nfailed'],
    [{ content_type: 'something_new', inner: { words: ['kept'] } }, 'kept'],
    [{ content_type: 'text', parts: [''] }, null],
    [
      {
        content_type: 'multimodal_text',
        parts: [
          {
            content_type: 'image_asset_pointer',
            asset_pointer: 'file-service://file-Abc123456',
            size_bytes: 4,
          },
          { content_type: 'audio_transcription', text: 'spoken' },
          'Look',
        ],
      },
      'spoken\nLook',
    ],
  ]
  const mapping = Object.assign(
    {},
    ...kinds.map(([content], index) =>
      node(
        `m${index}`,
        index === 0 ? null : `m${index - 1}`,
        [`m${index + 1}`],
        said('user', content, 1700000000 + index),
      ),
    ),
  )
  const files = {
    'conversations.json': [{ id: 'c', title: 't', mapping }],
    'file-Abc123456-cat.png': 'PNG!',
    'user.json': { id: 'user-7' },
  }
  const { of, blobs, finding } = await readingOf('chatgpt', zipWith(context, files))
  assert.equal(finding.account, 'user-7')
  assert.deepEqual(
    valuesOf(of('chatgpt_messages'), 'text'),
    kinds.map(([, text]) => text),
  )
  assert.equal(of('chatgpt_messages')[0]?.language, 'python')
  assert.equal(blobs[0]?.content.toString(), 'PNG!')
  const [attachment] = (of('chatgpt_messages').at(-1)?.attachments ?? []) as JsonObject[]
  assert.deepEqual(
    { ...attachment, blob_id: undefined },
    {
      file_id: 'file-Abc123456',
      name: 'file-Abc123456-cat.png',
      mime_type: 'image/png',
      size_bytes: 4,
      blob_id: undefined,
    },
  )
})

test('broken trees are read as far as possible', async context => {
  const circle = {
    ...node('a', 'b', ['b'], said('user', 'A', 1)),
    ...node('b', 'a', ['a'], said('user', 'B', 2)),
  }
  const orphan = {
    ...node('a', 'gone', [], said('user', 'A', 1)),
    x: { parent: 'a', message: said('assistant', 'X', 2) },
    y: { parent: 'a', message: said('assistant', 'Y', 3) },
    z: { parent: 'y', message: { note: 'no author, no content' } },
  }
  const conversations = [
    { id: 'circle', title: 'c', mapping: circle, current_node: 'b' },
    { id: 'orphan', title: 'o', mapping: orphan },
    { id: 'no tree', title: 'n' },
  ]
  const text = `${JSON.stringify(conversations).slice(0, -1)},{"title": EPOCH, "mapping": {}}]`
  const { of, rejections } = await readingOf('chatgpt', folderWith(context, { 'export.json': text }))
  assert.deepEqual(
    of('chatgpt_messages').map(message => [message.text, message.is_shown]),
    [
      ['A', true],
      ['B', true],
      ['A', true],
      ['Y', true],
      ['X', false],
    ],
  )
  assert.deepEqual(rowsOf(rejections, 'place', 'code'), [
    ['export.json, conversation 2, message z', 'not_a_message'],
    ['export.json, conversation 3', 'not_a_conversation'],
    ['export.json, conversation 4', 'not_json'],
  ])
})

test('two exports side by side keep both versions of a conversation, but identical ones only once', async context => {
  const newer = { ...TREE, title: 'Baking good bread' }
  const files = {
    'a/conversations.json': [TREE],
    'b/conversations.json': [TREE],
    'c/conversations.json': [newer],
  }
  const { of } = await readingOf('chatgpt', folderWith(context, files))
  assert.equal(new Set(of('chatgpt_conversations').map(({ id }) => id)).size, 2)
})

test('a file that only looks like a ChatGPT export is refused with the reason, and no other format accepts it', async context => {
  const broken = folderWith(context, { 'conversations.json': '[{"title": EPOCH, "mapping": {}}]' })
  assert.match(
    (await lookalikeOf('chatgpt', broken)) ?? '',
    /has the layout of a ChatGPT export but cannot be read: item 1 is not JSON/,
  )
  assert.deepEqual(await formatsOf(broken), [])
  assert.deepEqual(
    await formatsOf(folderWith(context, { 'renamed.txt': [TREE], 'user.json': { id: 'u' } })),
    ['chatgpt'],
  )
  assert.equal(
    await lookalikeOf('chatgpt', folderWith(context, { 'conversations.json': [{ title: 'other' }] })),
    null,
  )
})

test('reading a conversation of any shape takes time proportional to its length', () => {
  const nodes = 40_000
  const tree = (
    parentOf: (n: number) => number | null,
    message = (n: number): JsonObject => said('user', `${n}`, n),
  ) =>
    Object.fromEntries(
      Array.from({ length: nodes }, (_, n) => {
        const parent = parentOf(n)
        return [`n${n}`, { parent: parent === null ? null : `n${parent}`, message: message(n) }]
      }),
    )
  const shapes: Record<string, JsonObject> = {
    deep: tree(n => (n === 0 ? null : n - 1)),
    wide: tree(n => (n === 0 ? null : 0)),
    comb: tree(n => (n === 0 ? null : n % 2 === 1 ? n - 1 : n - 2)),
    unreadable: tree(
      n => (n === 0 ? null : n - 1),
      n => (n % 2 === 0 ? said('user', 'x', n) : { note: n }),
    ),
  }
  const parts = Array.from({ length: nodes }, (_, n) => ({ asset_pointer: `file-service://file-${n}` }))
  shapes.pictures = {
    a: { parent: null, message: said('user', { content_type: 'multimodal_text', parts }, 1) },
  }
  let chain = 0
  for (const [shape, mapping] of Object.entries(shapes)) {
    const began = process.cpuUsage()
    const { messages, unreadable } = conversationOf({ title: shape, mapping }, shape, shape)
    const took = process.cpuUsage(began).user / 1_000
    const attached = messages.reduce((sum, { data }) => sum + data.attachments.length, 0)
    assert.equal(shape === 'pictures' ? attached : messages.length + unreadable.length, nodes)
    // A plain chain of messages shows how fast the machine currently is.
    if (shape === 'deep') chain = took
    assert.ok(took < 10 * chain + 1_000, `${shape}: ${Math.round(took)} ms, a chain ${Math.round(chain)} ms`)
  }
})

test('a conversation that is nested too deeply is rejected, and the next one is imported', async context => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
  const mapping = `{"m":{"parent":null,"message":{"author":{"role":"user"},"content":{"content_type":"x","parts":[${deep}]}}}}`
  const text = `[{"id":"deep","title":"d","mapping":${mapping}},${JSON.stringify(TREE)}]`
  const { of, rejections } = await readingOf('chatgpt', folderWith(context, { 'conversations.json': text }))
  assert.deepEqual(rowsOf(rejections, 'place', 'code'), [['conversations.json, conversation 1', 'too_deep']])
  assert.equal(of('chatgpt_conversations').length, 1)
})

test('an export in several files is one import: its lists and its page of all conversations are not read as tables and documents', async context => {
  const files = {
    'conversations-000.json': [TREE],
    'conversations-001.json': [{ ...TREE, conversation_id: 'c-2' }],
    'chat.html': '<html><body><div id="root"></div><script>var jsonData = []</script></body></html>',
    'shared_conversations.json': [{ id: 's', conversation_id: 'c-1', title: 'Baking bread' }],
    'message_feedback.json': [{ id: 'f', rating: 'thumbs_up', create_time: '2025-06-15T10:00:00Z' }],
    'group_chats.json': [],
    'user.json': { id: 'user-1', email: 'ada@example.org' },
  }
  const path = zipWith(context, files)
  assert.deepEqual(await formatsOf(path), ['chatgpt'])
  const { finding, of } = await readingOf('chatgpt', path)
  assert.equal(of('chatgpt_conversations').length, 2)
  assert.equal(finding.files.length, Object.keys(files).length)
  const alone = folderWith(context, { 'chat.html': files['chat.html'] })
  assert.deepEqual(await formatsOf(alone), ['documents'], 'a page of that name elsewhere is a document')
})

test('the first question of a conversation is what the owner asked, not the hidden instructions before it', async context => {
  const instructions = {
    content_type: 'user_editable_context',
    user_profile: 'I bake.',
    user_instructions: 'Be brief.',
  }
  const hidden = { metadata: { is_visually_hidden_from_conversation: true } }
  const mapping = {
    ...node('n1', null, ['n2'], said('user', instructions, null, hidden)),
    ...node('n2', 'n1', [], said('user', 'How long?', 1700000001)),
  }
  const folder = folderWith(context, { 'conversations.json': [{ ...TREE, current_node: 'n2', mapping }] })
  const { of } = await readingOf('chatgpt', folder)
  assert.equal(of('chatgpt_conversations')[0]?.opening, 'How long?')
  assert.equal(of('chatgpt_messages')[0]?.text, 'I bake.\nBe brief.')
})

test('a time that is written without a zone is the same on every computer', context => {
  const zone = process.env.TZ
  context.after(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  process.env.TZ = 'America/New_York'
  const mapping = node('a', null, [], said('user', 'hello', null))
  const dated = { mapping, create_time: '2024-03-01T10:00:00', update_time: '2024-03-01T10:00:00-05:00' }
  const { data } = conversationOf(dated, 'c', 'c')
  assert.deepEqual([data.created_at, data.updated_at], ['2024-03-01T10:00:00Z', '2024-03-01T15:00:00Z'])
})

test('names and links that ChatGPT marks stay in the text, and a project is not a custom GPT', async context => {
  const written =
    '\ue200entity\ue202["city","Paris \\"X\\"","in France"]\ue201 is on \ue200url\ue202the map\ue202https://example.org\ue201' +
    '.\ue200image_group\ue202{"query":["Paris"]}\ue201\ue200entity\ue202broken\ue201'
  const conversation = (gizmo_id: string) => ({
    ...{ title: 'Paris', conversation_id: gizmo_id, current_node: 'a', gizmo_id },
    mapping: { ...node('a', null, [], said('assistant', written, 1700000001)) },
  })
  const files = { 'conversations.json': [conversation('g-p-1'), conversation('g-2')] }
  const reading = await readingOf('chatgpt', folderWith(context, files))
  assert.equal(reading.of('chatgpt_messages')[0]?.text, 'Paris "X" is on the map.')
  assert.deepEqual(rowsOf(reading.of('chatgpt_conversations'), 'custom_gpt', 'project_id'), [
    [null, 'g-p-1'],
    ['g-2', null],
  ])
})
