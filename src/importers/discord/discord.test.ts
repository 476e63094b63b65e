import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf, zipWith } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'

test('a channel that an exporter wrote is read with replies, reactions and links to files', async context => {
  const author = { id: '7', name: 'ada', nickname: 'Ada' }
  const channel = {
    guild: { id: '1', name: 'Club' },
    channel: { id: '2', type: 'GuildTextChat', name: 'general' },
    messages: [
      { id: '10', type: 'Default', timestamp: '2024-01-01T10:00:00.5+01:00', content: 'Hello', author },
      {
        id: '11',
        type: 'Reply',
        timestamp: '2024-01-01T10:01:00+01:00',
        content: '',
        author,
        reference: { messageId: '10' },
        embeds: [{ title: 'A page' }],
        reactions: [{ emoji: { name: '👍' }, count: 2 }],
        attachments: [{ fileName: 'a.png', fileSizeBytes: 3, url: 'https://example.org/a.png' }],
      },
      7,
    ],
  }
  const reading = await readingOf('discord', folderWith(context, { 'general.json': channel }))
  const messages = reading.of('discord_messages')
  assert.deepEqual(rowsOf(messages, 'server', 'chat', 'sender', 'text', 'sent_at'), [
    ['Club', 'general', 'Ada', 'Hello', '2024-01-01T09:00:00.500Z'],
    ['Club', 'general', 'Ada', 'A page', '2024-01-01T09:01:00Z'],
  ])
  assert.deepEqual([messages[1]?.reply_to_id, messages[1]?.attachment_count], [messages[0]?.id, 1])
  assert.deepEqual(valuesOf(reading.rejections, 'code'), ['not_an_object'])
})

test('the data package of Discord is read in both of its layouts, and joins what an exporter wrote', async context => {
  const folder = folderWith(context, {
    'package/account/user.json': { id: '7', username: 'ada' },
    'package/messages/index.json': { '2': 'general' },
    'package/messages/c2/channel.json': {
      id: '2',
      type: 0,
      name: 'general',
      guild: { id: '1', name: 'Club' },
    },
    'package/messages/c2/messages.csv':
      'ID,Timestamp,Contents,Attachments\n10,2024-01-01 09:00:00.500000+00:00,"Hello, you",\n',
    'package/messages/c3/channel.json': { id: '3', type: 1, recipients: ['7', '8'] },
    'package/messages/c3/messages.json':
      '[{"ID":1234567890123456789,"Timestamp":"2024-01-02 09:00:00","Contents":"","Attachments":"https://example.org/x/a.png?z=1"}]',
  })
  const reading = await readingOf('discord', folder)
  assert.deepEqual(rowsOf(reading.of('discord_messages'), 'chat', 'sender', 'text', 'sent_at', 'source_id'), [
    ['general', 'ada', 'Hello, you', '2024-01-01T09:00:00.500Z', '10'],
    ['Direct message with 8', 'ada', null, '2024-01-02T09:00:00Z', '1234567890123456789'],
  ])
  assert.equal(reading.finding.files.length, 6)
})

test('a data package in another language is read, names its direct messages, and leaves its logs of activity out', async context => {
  const files = {
    'Konto/user.json': { id: '7', username: 'ada', global_name: 'Ada' },
    'Nachrichten/index.json': { '3': 'Direktnachricht mit ben#0' },
    'Nachrichten/c3/channel.json': { id: '3', type: 'DM', recipients: ['7', '8'] },
    'Nachrichten/c3/messages.json': [
      { ID: '11', Timestamp: '2025-01-02 09:00:00', Contents: 'Hallo', Attachments: '' },
    ],
    'Aktivität/reporting/events-2025-00000-of-00001.json': '{"event_type":"a"}\n{"event_type":"b"}\n',
    'README.txt': 'Welcome to your data package.',
  }
  const path = zipWith(context, files)
  assert.deepEqual(await formatsOf(path), ['discord'])
  const { of } = await readingOf('discord', path)
  assert.deepEqual(rowsOf(of('discord_messages'), 'chat', 'sender', 'text'), [
    ['Direktnachricht mit ben#0', 'Ada', 'Hallo'],
  ])
})

test('an export of the newer part of a channel changes nothing', async context => {
  const message = (id: number) => ({
    id: String(id),
    type: 'Default',
    timestamp: `2024-01-01T10:00:0${Math.floor(id / 2)}+00:00`,
    content: `message ${id}`,
    author: { id: '7', name: 'ada' },
  })
  const read = async (...ids: number[]) => {
    const channel = { guild: { id: '1' }, channel: { id: '2' }, messages: ids.map(message) }
    const reading = await readingOf('discord', folderWith(context, { 'general.json': channel }))
    return reading.of('discord_messages')
  }
  assert.deepEqual(await read(4, 5, 6), (await read(2, 3, 4, 5, 6)).slice(2))
})
