import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellingName } from './telling-name.ts'

test('of a file name the part that tells exports apart is kept', () => {
  const names: [name: string, kind: string, telling: string | null][] = [
    ['kepano-obsidian', 'Notes', 'kepano-obsidian'],
    ['My old notes', 'Notes', null],
    ['slack-houstondatavis', 'Slack', 'houstondatavis'],
    ['Notes from the field', 'Notes', 'Notes from the field'],
    ['Meeting notes', 'Notes', 'Meeting notes'],
    ['The Wire', 'Documents', 'The Wire'],
    ['Bank statement 2024', 'Table', 'Bank statement 2024'],
    ['bank_2024-05-04', 'Table', 'bank'],
    ['bank_2024-05-04 (1)', 'Table', 'bank'],
    ['Area 51', 'Notes', 'Area 51'],
    ['Inbox', 'Mail', 'Inbox'],
    ['家族', 'WhatsApp', '家族'],
    ['takeout-20260504T101500Z', 'Mail', null],
    ['takeout-20260504T101500Z-001', 'Mail', null],
    ['ChatExport_2026-05-04 (2)', 'Telegram', null],
    ['data-2026-05-04-12-00-00-batch-0000', 'Claude', null],
    ['3f786850e387550fdab836ed7e6dc881de23001b-2026-05-04-10-11-12', 'ChatGPT', null],
    ['facebook-ada-2026-05-04-1f2e3d4c', 'Facebook and Instagram', 'facebook-ada'],
    ['sms-20260504101112', 'SMS', null],
    ['_chat', 'WhatsApp', null],
    ['New folder (3)', 'Documents', null],
  ]
  for (const [name, kind, telling] of names) assert.equal(tellingName(name, kind), telling, name)
  for (const name of [
    'share',
    'in',
    'out',
    'export',
    'Takeout',
    'data',
    'tmp',
    'conversations',
    'result',
    '',
  ])
    assert.equal(tellingName(name, 'Telegram'), null, name)
})
