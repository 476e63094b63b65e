import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'
import type { JsonObject } from '../../model/json.ts'

const CHAT: JsonObject = {
  name: 'Ada',
  type: 'personal_chat',
  id: 4321,
  messages: [
    {
      id: 1,
      type: 'message',
      date: '2024-03-01T10:00:00',
      date_unixtime: '1709283600',
      from: 'Ada',
      from_id: 'user1',
      text: [
        'See ',
        { type: 'text_link', text: 'the plan', href: 'https://example.org' },
        ' ',
        { type: 'bold', text: 'now' },
      ],
      reactions: [{ type: 'emoji', count: 2, emoji: '🔥', recent: [{ from: 'Ben' }] }],
    },
    {
      id: 2,
      type: 'message',
      date: '2024-03-01T10:01:00',
      date_unixtime: '1709283660',
      from: 'Ben',
      text: '',
      photo: 'photos/a.jpg',
      reply_to_message_id: 1,
    },
    {
      id: 3,
      type: 'message',
      date: '2024-03-01T10:02:00',
      from: 'Ben',
      text: 'x',
      file: '(File not included.)',
      file_name: 'b.pdf',
    },
    {
      id: 4,
      type: 'service',
      date: '2024-03-01T10:03:00',
      actor: 'Ada',
      action: 'invite_members',
      members: ['Cem'],
      text: '',
    },
  ],
}

test('a Telegram chat is read with marked text, replies, reactions and files', async context => {
  const reading = await readingOf(
    'telegram',
    folderWith(context, { 'result.json': CHAT, 'photos/a.jpg': 'JPG' }),
  )
  const messages = reading.of('telegram_messages')
  assert.deepEqual(rowsOf(messages, 'sender', 'text', 'sent_at', 'kind'), [
    ['Ada', 'See the plan (https://example.org) now', '2024-03-01T09:00:00Z', 'message'],
    ['Ben', null, '2024-03-01T09:01:00Z', 'message'],
    ['Ben', 'x', '2024-03-01T10:02:00Z', 'message'],
    ['Ada', 'Ada invite members Cem', '2024-03-01T10:03:00Z', 'service'],
  ])
  assert.deepEqual(messages[0]?.reactions, [{ name: '🔥', count: 2, users: ['Ben'] }])
  assert.equal(messages[1]?.reply_to_id, messages[0]?.id)
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  assert.equal(messages[1]?.attachment_count, 1)
  assert.deepEqual(messages[2]?.attachments, [{ name: 'b.pdf', mime_type: null, size_bytes: null }])
})

test('the full export of an account is read chat by chat, left chats included', async context => {
  const full = {
    about: 'Here is the data you requested.',
    contacts: { list: [{ first_name: 'x' }] },
    chats: {
      about: 'y',
      list: [CHAT, { type: 'saved_messages', id: 5, messages: [{ id: 1, type: 'message', text: 'note' }] }],
    },
    left_chats: {
      list: [
        {
          name: 'Old club',
          type: 'private_group',
          id: 6,
          messages: [{ id: 1, type: 'message', text: 'bye' }],
        },
      ],
    },
  }
  const reading = await readingOf('telegram', folderWith(context, { 'result.json': full }))
  const messages = reading.of('telegram_messages')
  assert.deepEqual(rowsOf(messages, 'chat', 'position'), [
    ['Ada', 1],
    ['Ada', 2],
    ['Ada', 3],
    ['Ada', 4],
    ['Saved messages', 1],
    ['Old club', 1],
  ])
  const one = await readingOf('telegram', folderWith(context, { 'result.json': CHAT }))
  assert.deepEqual(
    valuesOf(one.of('telegram_messages'), 'id'),
    messages.slice(0, 4).map(({ id }) => id),
  )
})

test('polls, lists, places, contacts and stickers have a text', async context => {
  const message = {
    type: 'message',
    date: '2024-03-01T10:00:00',
    date_unixtime: '1709283600',
    from: 'Ada',
    text: '',
  }
  const answers = [
    { text: 'Rye', voters: 2, chosen: true },
    { text: 'Oats', voters: 0, chosen: false },
  ]
  const messages = [
    { poll: { question: 'Which bread?', closed: false, total_voters: 2, answers } },
    { todo_list: { title: 'To buy', answers: [{ text: 'Flour', id: 1 }] } },
    {
      text: 'Here',
      place_name: 'Mill',
      address: 'Main Street 1',
      location_information: { latitude: 1.5, longitude: 2 },
    },
    { contact_information: { first_name: 'Ben', last_name: '', phone_number: '+49 1' } },
    { media_type: 'sticker', sticker_emoji: '🍞', file: '(File not included.)' },
  ].map((more, index) => ({ ...message, id: index + 1, ...more }))
  const { of } = await readingOf('telegram', folderWith(context, { 'result.json': { ...CHAT, messages } }))
  assert.deepEqual(valuesOf(of('telegram_messages'), 'text'), [
    'Which bread?\n• Rye: 2\n• Oats: 0',
    'To buy\n• Flour',
    'Here\nMill\nMain Street 1\n1.5, 2',
    'Ben +49 1',
    '🍞',
  ])
})

test('a broken message is rejected and the rest is read', async context => {
  const text = JSON.stringify(CHAT).replace('"id":3,', '"id":3 oops,')
  const reading = await readingOf('telegram', folderWith(context, { 'result.json': text }))
  assert.deepEqual(rowsOf(reading.rejections, 'place', 'code'), [['result.json, message 3', 'not_json']])
  assert.equal(reading.records.length, 3)
})

const page = (...messages: string[]) =>
  `<!DOCTYPE html>
<html><head><meta charset="utf-8"/><title>Exported Data</title></head><body onload="CheckLocation();">
<div class="page_wrap"><div class="page_header"><div class="content"><div class="text bold">
Club &amp; friends
</div></div></div>
<div class="page_body chat_page"><div class="history">
${messages.join('\n')}
</div></div></div></body></html>`
const message = (id: number, time: string, content: string, more = '') =>
  `<div class="message default clearfix${more}" id="message${id}"><div class="body">
<div class="pull_right date details" title="01.03.2024 ${time} UTC+01:00">${time.slice(0, 5)}</div>
${content}</div></div>`
const from = (name: string) => `<div class="from_name">\n${name} \n</div>`
const text = (html: string) => `<div class="text">\n${html}\n</div>`
const media = (html: string) => `<div class="media_wrap clearfix">${html}</div>`
const body = (title: string, status: string) =>
  `<div class="fill pull_left"></div><div class="body"><div class="title bold">${title}</div>${status}</div>`

test('the HTML export is read page by page, with joined messages, files, replies and reactions', async context => {
  const reading = await readingOf(
    'telegram',
    folderWith(context, {
      'messages.html': page(
        '<div class="message service" id="message-1"><div class="body details">1 March 2024</div></div>',
        '<div class="message service" id="message1"><div class="body details">Ada created group &laquo;Club&raquo;</div></div>',
        message(
          2,
          '10:00:00',
          `${from('Ada')}${text('See <a href="https://example.org">the plan</a> <strong>now</strong><br>A &lt;3')}<span class="reactions"><span class="reaction active"><span class="emoji">🔥</span><span class="userpics"><div class="userpic"><div class="initials" title="Ben">B</div></div></span></span><span class="reaction"><span class="emoji">👍</span><span class="count">3</span></span></span>`,
        ),
        message(
          3,
          '10:01:00',
          `<div class="reply_to details">In reply to <a href="#go_to_message2">this message</a></div>${media(
            '<a class="photo_wrap clearfix pull_left" href="photos/a%20b.jpg"><img class="photo" src="photos/a_thumb.jpg"/></a>',
          )}${text('a photo')}`,
          ' joined',
        ),
        message(
          4,
          '10:02:00',
          `${from('Ben')}<div class="pull_left forwarded userpic_wrap"></div><div class="forwarded body">${from('Cem <span class="date details" title="28.02.2024 09:00:00 UTC+01:00"> 28.02.2024 09:00:00</span>')}${text('passed on')}</div>`,
        ),
      ),
      'messages2.html': page(
        message(
          5,
          '10:03:00',
          `${from('Ben')}${media(`<div class="media clearfix pull_left media_voice_message">${body('Voice message', '<div class="description">Not included, change data exporting settings to download.</div>')}</div>`)}`,
        ),
        message(
          6,
          '10:04:00',
          `${from('Ben')}${media(`<a class="media clearfix pull_left block_link media_file" href="files/plan.txt">${body('the plan.txt', '<div class="status details">2 KB</div>')}</a>`)}`,
        ),
        message(
          7,
          '10:05:00',
          `${from('Ben')}${media(`<div class="media clearfix pull_left media_call success">${body('Ada', '<div class="status details">Outgoing (12 seconds)</div>')}</div>`)}`,
        ),
      ),
      'photos/a b.jpg': 'JPG',
      'files/plan.txt': 'rye',
      'css/style.css': 'x',
    }),
  )
  const messages = reading.of('telegram_messages')
  assert.deepEqual(rowsOf(messages, 'sender', 'text', 'sent_at', 'kind', 'position'), [
    [null, 'Ada created group «Club»', '2024-03-01T00:00:00Z', 'service', 1],
    ['Ada', 'See the plan (https://example.org) now\nA <3', '2024-03-01T09:00:00Z', 'message', 2],
    ['Ada', 'a photo', '2024-03-01T09:01:00Z', 'message', 3],
    ['Ben', 'passed on', '2024-03-01T09:02:00Z', 'message', 4],
    ['Ben', null, '2024-03-01T09:03:00Z', 'voice_message', 5],
    ['Ben', null, '2024-03-01T09:04:00Z', 'message', 6],
    ['Ben', 'Ada\nOutgoing (12 seconds)', '2024-03-01T09:05:00Z', 'phone_call', 7],
  ])
  assert.deepEqual(messages[1]?.reactions, [
    { name: '🔥', count: 1, users: ['Ben'] },
    { name: '👍', count: 3, users: [] },
  ])
  assert.equal(messages[2]?.reply_to_id, messages[1]?.id)
  assert.equal(messages[3]?.forwarded_from, 'Cem')
  assert.deepEqual(
    reading.blobs.map(({ content }) => content.toString()),
    ['JPG', 'rye'],
  )
  assert.deepEqual(messages[4]?.attachments, [{ name: 'Voice message', mime_type: null, size_bytes: null }])
  assert.equal(messages[6]?.chat, 'Club & friends')
  assert.equal(reading.finding.files.length, 5)
})

test('two chats of one name stay apart, and an export in both formats is read from JSON', async context => {
  const one = page(message(1, '10:00:00', `${from('Ada')}${text('one')}`))
  const two = page(message(1, '10:00:00', `${from('Ada')}${text('two')}`))
  const account = folderWith(context, {
    'chats/chat_1/messages.html': one,
    'chats/chat_2/messages.html': two,
  })
  const messages = (await readingOf('telegram', account)).of('telegram_messages')
  assert.equal(new Set(messages.map(({ id }) => id)).size, 2)
  assert.equal(new Set(messages.map(({ chat_id }) => chat_id)).size, 2)
  const both = folderWith(context, { 'result.json': CHAT, 'messages.html': one })
  assert.equal((await readingOf('telegram', both)).records.length, 4)
})

test('a time without a zone is one of the clock of the owner, and ids do not depend on it', async context => {
  const written = (title: string) =>
    `<div class="message default clearfix" id="message1"><div class="body"><div class="pull_right date details" title="${title}">00:30</div>${from('Ada')}${text('hello')}</div></div>`
  const bare = {
    type: 'message',
    date: '2024-07-03T00:30:00',
    edited: '2024-07-03T00:31:00',
    from: 'Ada',
    text: 'hello',
  }
  const exports = {
    json: { 'result.json': { ...CHAT, messages: [bare] } },
    html: { 'messages.html': page(written('03.07.2024 00:30:00')) },
    zoned: { 'messages.html': page(written('03.07.2024 00:30:00 UTC+05:00')) },
  }
  const sent: Record<string, unknown> = {}
  for (const [name, files] of Object.entries(exports)) {
    const folder = folderWith(context, files)
    const inZone = async (zone: string) =>
      (await readingOf('telegram', folder, zone)).of('telegram_messages')[0]
    const [berlin, utc] = [await inZone('Europe/Berlin'), await inZone('UTC')]
    assert.deepEqual([berlin?.id, berlin?.sent_at_local], [utc?.id, utc?.sent_at_local])
    sent[name] = [berlin?.sent_at, berlin?.edited_at ?? null]
  }
  assert.deepEqual(sent, {
    json: ['2024-07-02T22:30:00Z', '2024-07-02T22:31:00Z'],
    html: ['2024-07-02T22:30:00Z', null],
    zoned: ['2024-07-02T19:30:00Z', null],
  })
})
