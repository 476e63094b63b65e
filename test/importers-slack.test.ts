import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../src/model/json.ts'
import { folderWith, formatsOf, lookalikeOf, readingOf, zipWith } from './imported-folder.ts'
import { rowsOf, valuesOf } from './rows-of.ts'

const USERS = [
  {
    id: 'U1',
    team_id: 'T1',
    name: 'ada',
    tz: 'Europe/Berlin',
    updated: 1700000000,
    profile: { real_name: 'Ada Lovelace', display_name: 'Ada', email: 'ada@example.org', title: 'Countess' },
  },
  {
    id: 'U2',
    team_id: 'T1',
    name: 'grace',
    deleted: true,
    profile: { real_name: 'Grace Hopper', display_name: '' },
  },
]
const EXPORT = {
  'users.json': USERS,
  'channels.json': [
    {
      id: 'C1',
      name: 'general',
      created: 1600000000,
      creator: 'U1',
      members: ['U1', 'U2'],
      purpose: { value: 'All' },
    },
  ],
  'dms.json': [{ id: 'D1', created: 1600000001, members: ['U1', 'U2'] }],
  'integration_logs.json': [{ user_id: 'U1', date: '1' }],
  'general/2024-03-30.json': [
    {
      type: 'message',
      user: 'U1',
      ts: '1711800000.000200',
      thread_ts: '1711800000.000200',
      reply_count: 2,
      text: 'Hello <@U2>, see <#C1|general> and <https://example.org/a?b=1&amp;c|the plan> &lt;now&gt; <!here>',
      reactions: [{ name: 'tada', count: 2, users: ['U1', 'U2'] }],
    },
    {
      type: 'message',
      subtype: 'bot_message',
      bot_id: 'B1',
      username: 'deploy',
      text: '',
      ts: '1711800001.000000',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: 'Deployed by <@U1>' } },
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: 'Done ' },
                { type: 'emoji', name: 'ok' },
              ],
            },
          ],
        },
      ],
      attachments: [{ title: 'Build 7', text: 'took 3 minutes' }],
    },
  ],
  'general/2024-03-31.json': [
    {
      type: 'message',
      user: 'U2',
      ts: '1711886400.000100',
      thread_ts: '1711800000.000200',
      text: 'First answer',
    },
    {
      type: 'message',
      user: 'U9',
      user_profile: { real_name: 'A Guest' },
      ts: '1711886401.000100',
      thread_ts: '1711800000.000200',
      text: 'Second answer',
      edited: { user: 'U1', ts: '1711886500.000000' },
      files: [
        {
          id: 'F12345678',
          name: 'plan.pdf',
          mimetype: 'application/pdf',
          size: 10,
          url_private: 'https://files.slack.com/plan.pdf?t=xoxe-1-secret',
        },
      ],
    },
    {
      type: 'message',
      subtype: 'tombstone',
      user: 'USLACKBOT',
      ts: '1711886402.000100',
      text: 'This message was deleted.',
    },
  ],
  'D1/2024-03-30.json': [{ type: 'message', user: 'U2', ts: '1711800000.000200', text: 'Between us' }],
}

test('a Slack export becomes readable messages, channels and people', async context => {
  const reading = await readingOf('slack', folderWith(context, EXPORT))
  assert.equal(reading.finding.account, 'T1')
  assert.deepEqual(reading.finding.span, { first: '2024-03-30T00:00:00Z', last: '2024-03-31T23:59:59Z' })
  assert.deepEqual(reading.rejections, [])
  assert.deepEqual(
    reading.of('slack_users').map(user => [user.name, user.handle, user.is_deleted, user.email]),
    [
      ['Ada', 'ada', false, 'ada@example.org'],
      ['Grace Hopper', 'grace', true, null],
    ],
  )
  assert.deepEqual(
    reading
      .of('slack_channels')
      .map(channel => [channel.name, channel.kind, channel.members, channel.created_at]),
    [
      ['general', 'public', ['Ada', 'Grace Hopper'], '2020-09-13T12:26:40Z'],
      ['Ada, Grace Hopper', 'direct', ['Ada', 'Grace Hopper'], '2020-09-13T12:26:41Z'],
    ],
  )
  const [direct, hello, bot] = reading.of('slack_messages')
  assert.equal(direct?.channel, 'Ada, Grace Hopper')
  assert.notEqual(direct?.id, hello?.id, 'the same ts in another channel is another message')
  assert.equal(
    hello?.text,
    'Hello @Grace Hopper, see #general and the plan (https://example.org/a?b=1&c) <now> @here',
  )
  assert.deepEqual(hello?.links, ['https://example.org/a?b=1&c'])
  assert.deepEqual(hello?.mentions, ['Grace Hopper'])
  assert.equal(hello?.sent_at, '2024-03-30T12:00:00.000200Z')
  assert.equal(hello?.sent_at_local, '2024-03-30T13:00:00.000200+01:00')
  assert.deepEqual(hello?.reactions, [{ name: 'tada', count: 2, users: ['Ada', 'Grace Hopper'] }])
  assert.equal(bot?.text, 'Deployed by @Ada\nDone :ok:')
  assert.deepEqual([bot?.sender, bot?.is_bot, bot?.quoted], ['deploy', true, ['Build 7\ntook 3 minutes']])
})

test('a Slack thread is complete across the files of several days', async context => {
  const messages = (await readingOf('slack', zipWith(context, EXPORT))).of('slack_messages')
  const root = messages.find(message => message.text?.toString().startsWith('Hello'))
  const thread = messages.filter(message => message.thread_id === root?.id)
  assert.deepEqual(
    thread.map(message => [
      message.text?.toString().slice(0, 6),
      message.is_thread_root,
      message.reply_count,
    ]),
    [
      ['Hello ', true, 2],
      ['First ', false, 0],
      ['Second', false, 0],
    ],
  )
  const edited = thread[2]
  assert.deepEqual(
    [edited?.sender, edited?.edited_by, edited?.edited_at],
    ['A Guest', 'Ada', '2024-03-31T12:01:40Z'],
  )
  const files = edited?.files as { name: string; url: string }[]
  assert.deepEqual(files[0]?.name, 'plan.pdf')
  assert.equal(
    files[0]?.url,
    'https://files.slack.com/plan.pdf',
    'the token that opens every file is not kept',
  )
  assert.equal(messages.find(message => message.kind === 'tombstone')?.is_deleted, true)
})

test('files that a Slack export includes become blobs', async context => {
  const files = { ...EXPORT, '__uploads/F12345678/plan.pdf': '%PDF-1.4 x' }
  const { blobs, of } = await readingOf('slack', folderWith(context, files))
  assert.equal(blobs[0]?.content.toString(), '%PDF-1.4 x')
  const [file] = of('slack_messages').flatMap(message => message.files as { blob_id?: string }[])
  assert.match(file?.blob_id ?? '', /^sha256-/)
})

test('an invalid message in a Slack export is rejected with its location; the others are imported', async context => {
  const day =
    '[{"type":"message","ts":"1711800000.000100","text":"a"},{"type":"message","ts":oops},' +
    '{"type":"message","text":"no time"},7,{"type":"message","ts":"1711800002.000100","text":"b"},' +
    `{"type":"message","ts":"1711800003.000100","blocks":${'[{"type":"x","fields":'.repeat(2_000)}7${'}]'.repeat(2_000)}},{"type":"mess`
  const { rejections, of } = await readingOf('slack', folderWith(context, { 'x/2024-03-30.json': day }))
  assert.deepEqual(valuesOf(of('slack_messages'), 'text'), ['a', 'b'])
  assert.deepEqual(rowsOf(rejections, 'place', 'code'), [
    ['x/2024-03-30.json, item 2', 'not_json'],
    ['x/2024-03-30.json, item 3', 'no_time'],
    ['x/2024-03-30.json, item 4', 'not_an_object'],
    ['x/2024-03-30.json, item 6', 'too_deep'],
    ['x/2024-03-30.json, item 7', 'file_cut_off'],
  ])
})

test('a folder that only looks like a Slack export is refused with the reason', async context => {
  const folder = folderWith(context, { 'weather/2024-03-30.json': [{ temperature: 7 }] })
  assert.match((await lookalikeOf('slack', folder)) ?? '', /2024-03-30\.json is named like a day of messages/)
  assert.deepEqual(await formatsOf(folderWith(context, EXPORT)), ['slack'], 'no other format takes its files')
})

test('a comment on a file in Slack is by the person who commented', async context => {
  const comment = {
    type: 'message',
    subtype: 'file_comment',
    text: "<@U2> commented on <@U1>'s file notes: Thank you!",
    ts: '1711900000.000100',
    file: { id: 'F1', name: 'notes', user: 'U1' },
    comment: { id: 'Fc1', user: 'U2', comment: 'Thank you!' },
  }
  const folder = folderWith(context, { ...EXPORT, 'general/2024-03-31.json': [comment] })
  const messages = (await readingOf('slack', folder)).of('slack_messages')
  const found = messages.find(({ kind }) => kind === 'file_comment')
  assert.deepEqual([found?.sender, found?.sender_id], ['Grace Hopper', 'U2'])
})

test('what is written about a Slack channel, and the preview of a canvas, is text; Slackbot has its name', async context => {
  const about = {
    topic: { value: 'R&amp;D, see <https://example.org|the site>' },
    purpose: { value: 'for <@U1>' },
  }
  const preview = '<h1>Plan</h1><p>one &amp; two</p>'
  const canvas = { type: 'message', user: 'USLACKBOT', ts: '1711800000.000100', text: 'A plan' }
  const reading = await readingOf(
    'slack',
    folderWith(context, {
      'users.json': USERS,
      'channels.json': [{ id: 'C1', name: 'general', members: [], ...about }],
      'general/2024-03-30.json': [
        {
          ...canvas,
          files: [
            { id: 'F1', mode: 'quip', preview },
            { id: 'F2', mode: 'snippet', preview },
          ],
        },
      ],
    }),
  )
  const [channel] = reading.of('slack_channels')
  assert.deepEqual(
    [channel?.topic, channel?.purpose],
    ['R&D, see the site (https://example.org)', 'for @Ada'],
  )
  const [message] = reading.of('slack_messages')
  assert.deepEqual([message?.sender, message?.is_bot], ['Slackbot', true])
  assert.deepEqual(valuesOf(message?.files as JsonObject[], 'text'), ['Plan\n\none & two', preview])
})
