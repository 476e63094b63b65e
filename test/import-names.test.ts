import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { zipOf } from './archives.ts'
import { onEitherEngine } from './engines.ts'
import { importPlace } from './import-place.ts'

type Place = Awaited<ReturnType<typeof importPlace>>

async function write(place: Place, path: string, content: string | Uint8Array): Promise<string> {
  const full = join(place.folder, path)
  await mkdir(dirname(full), { recursive: true })
  await writeFile(full, content)
  return full
}

async function namesOf(place: Place): Promise<string[]> {
  const { data } = await place.call<{ data: { display_name: string }[] }>('/v1/owner/connections')
  return data.map(({ display_name }) => display_name)
}

async function streamsOf(place: Place): Promise<string[]> {
  const { data } = await place.call<{ data: { name: string }[] }>('/v1/streams')
  return data.map(({ name }) => name).sort()
}

const MAIL = 'From a@example.org Mon Jan  1 00:00:00 2024\nFrom: a@example.org\nSubject: one\n\ntext\n'
const CHAT = '01/02/2024, 10:00 - Ada: Hello\n01/02/2024, 10:01 - Ben: Hello to you\n'
const TABLE = 'when,what,amount\n2024-05-04,bread,3\n2024-05-05,milk,2\n'

function telegramChat(name: string, id: number): string {
  const message = { id: 1, type: 'message', date: '2024-01-02T10:00:00', from: 'Ada', text: `In ${name}` }
  return JSON.stringify({ name, type: 'private_group', id, messages: [message] }, null, 1)
}

test('a new source is named after its kind and what tells it apart', async () => {
  await using place = await importPlace('sqlite')
  const user = { id: 'user-1', email: 'ada@example.org' }
  const conversation = {
    uuid: 'c1',
    name: 'Bread',
    created_at: '2024-05-04T10:00:00Z',
    updated_at: '2024-05-04T10:00:00Z',
    account: { uuid: 'a1' },
    chat_messages: [{ uuid: 'm1', sender: 'human', text: 'How long?', created_at: '2024-05-04T10:00:00Z' }],
  }
  const discord = {
    guild: { id: '1', name: 'Bakers' },
    channel: { id: '2', type: 'GuildTextChat', category: 'Text', name: 'bread' },
    messages: [
      {
        id: '3',
        type: 'Default',
        timestamp: '2024-05-04T10:00:00Z',
        content: 'Rye',
        author: { id: '4', name: 'ada' },
      },
    ],
  }
  const full = {
    about: 'Here is the data you requested. …',
    personal_information: { user_id: 5, first_name: 'Ada', last_name: 'Lovelace' },
    chats: { list: [JSON.parse(telegramChat('Family', 7))] },
  }
  const sources: [path: string, content: string | Uint8Array, name: string][] = [
    ['mail/Sent.mbox', MAIL, 'Mail: Sent'],
    [
      'takeout-20260504T101500Z-001.zip',
      zipOf([{ path: 'Takeout/Mail/Inbox.mbox', content: MAIL }]),
      'Mail: Inbox',
    ],
    ['data.mbox', `${MAIL}more\n`, 'Mail'],
    ['WhatsApp Chat with Family (1).txt', CHAT, 'WhatsApp: Family'],
    ['_chat.txt', `${CHAT}01/02/2024, 10:02 - Ada: Bye\n`, 'WhatsApp'],
    ['one/result.json', telegramChat('Fam"ily', 1), 'Telegram: Fam"ily'],
    ['two/result.json', telegramChat('Work', 2), 'Telegram: Work'],
    ['three/result.json', JSON.stringify(full), 'Telegram: Ada Lovelace'],
    ['Bakers - Text - bread [2].json', JSON.stringify(discord), 'Discord: Bakers'],
    [
      'data-2026-05-04-10-11-12-batch-0000.zip',
      zipOf([
        { path: 'conversations.json', content: JSON.stringify([conversation]) },
        {
          path: 'users.json',
          content: JSON.stringify([{ uuid: 'a1', full_name: 'Ada', email_address: user.email }]),
        },
      ]),
      'Claude: ada@example.org',
    ],
    ['Bank statement 2024.csv', TABLE, 'Table: Bank statement 2024'],
    ['contacts.vcf', 'BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nEND:VCARD\n', 'Contacts'],
  ]
  for (const [path, content, name] of sources) {
    const { exitCode } = await place.import(await write(place, path, content))
    assert.equal(exitCode, 0, path)
    assert.equal((await namesOf(place)).at(-1), name, path)
  }
  const vault = await write(place, 'share/kepano-obsidian/A note.md', '# A note\n\nof a vault\n')
  await write(place, 'share/kepano-obsidian/Another.md', '# Another\n\nof a vault\n')
  await place.import(dirname(dirname(vault)))
  assert.equal((await namesOf(place)).at(-1), 'Notes: kepano-obsidian')

  for (const [path, name] of [
    ['Documents/Shopping.md', 'Notes'],
    ['Recipes/Bread.md', 'Notes: Recipes'],
  ] as const) {
    const only = await write(place, path, `# One\n\n${path}\n`)
    await place.import(dirname(only))
    assert.equal(
      (await namesOf(place)).at(-1),
      name,
      'a folder that may get more notes is not named after its only one',
    )
  }

  const given = await place.import(join(place.folder, 'data.mbox'), '--name', 'My letters', '--json')
  assert.equal(given.json.added, 1)
  assert.equal((await namesOf(place)).at(-1), 'My letters')
})

test('a source keeps the name that it has when its files are imported again', async () => {
  await using place = await importPlace('sqlite')
  const path = await write(place, 'result.json', telegramChat('Family', 1))
  const { json } = await place.import(path, '--json')
  await place.request(`/v1/owner/connections/${json.connection_id}`, {
    method: 'PATCH',
    json: { display_name: 'The family' },
  })
  const again = await place.import(path, '--json')
  assert.deepEqual([again.json.added, again.json.connection_id], [0, json.connection_id])
  assert.deepEqual(await namesOf(place), ['The family'])
})

onEitherEngine('the stream of a single table is named after its file and stays the same', async engine => {
  await using place = await importPlace(engine)
  const path = await write(place, 'Bank statement 2024-05-04.csv', TABLE)
  const { connection_id } = (await place.import(path, '--json')).json
  await place.import(await write(place, 'Weight.csv', 'day,kg\n2024-05-04,70\n2024-05-05,71\n'))
  await place.import(await write(place, 'export (3).csv', 'song,plays\nRye,3\nWheat,4\n'))
  await place.import(await write(place, 'notes.csv', 'word,meaning\nrye,a grain\noat,another\n'))
  assert.deepEqual(await streamsOf(place), ['bank_statement', 'notes_table', 'rows', 'weight'])

  const again = (await place.import(path, '--json')).json
  assert.deepEqual([again.connection_id, again.added], [connection_id, 0])
  await write(place, 'Bank statement 2024-05-04.csv', `${TABLE}2024-05-06,salt,1\n`)
  const newer = (await place.import(path, '--json')).json
  assert.deepEqual([newer.connection_id, newer.added, newer.unchanged], [connection_id, 1, 2])
  const june = await write(place, 'Bank statement 2024-06-04.csv', `${TABLE}2024-06-04,tea,4\n`)
  const added = (await place.import(june, '--connection', connection_id, '--json')).json
  assert.deepEqual([added.connection_id, added.added], [connection_id, 1])
  const other = await write(place, 'July.csv', `${TABLE}2024-07-04,jam,5\n`)
  const renamed = (await place.import(other, '--connection', connection_id, '--json')).json
  assert.deepEqual([renamed.connection_id, renamed.added], [connection_id, 1])
  assert.deepEqual(await streamsOf(place), ['bank_statement', 'notes_table', 'rows', 'weight'])
})

onEitherEngine('a table that was imported as rows remains in that stream', async engine => {
  await using place = await importPlace(engine)
  const path = await write(place, 'old/bank.csv', TABLE)
  const { connection_id } = (await place.import(dirname(path), '--name', 'Bank', '--json')).json
  assert.deepEqual(await streamsOf(place), ['rows'])
  const again = (await place.import(path, '--name', 'Bank', '--json')).json
  assert.deepEqual([again.connection_id, again.added], [connection_id, 0])
  const alone = (await place.import(path, '--json')).json
  assert.equal(alone.added, 0)
  assert.deepEqual(await streamsOf(place), ['rows'])
})

onEitherEngine('two sources of one import never have the same name', async engine => {
  await using place = await importPlace(engine)
  const zip = await write(
    place,
    'everything.zip',
    zipOf([
      { path: 'Inbox.mbox', content: MAIL },
      { path: 'notes/One.md', content: '# One\n\na note\n' },
      { path: 'notes/Two.md', content: '# Two\n\na note\n' },
    ]),
  )
  const names = ['My life', 'My life: Mail']
  for (const added of [3, 0]) {
    const { json } = await place.import(zip, '--name', 'My life', '--json')
    assert.equal(json.added, added)
    assert.deepEqual((await namesOf(place)).sort(), names)
  }
  const years = ['2023/Inbox.mbox', '2024/Inbox.mbox', 'old/2024/Inbox.mbox']
  for (const [index, path] of years.entries())
    await place.import(await write(place, path, `${MAIL}${'more\n'.repeat(index + 1)}`))
  const mails = ['Mail: Inbox', 'Mail: Inbox (2024)', 'Mail: Inbox 2']
  assert.deepEqual((await namesOf(place)).sort(), [...mails, ...names].sort())
  await place.import(join(place.folder, '2024/Inbox.mbox'))
  assert.equal((await namesOf(place)).length, 5)
})
