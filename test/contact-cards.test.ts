import assert from 'node:assert/strict'
import { CONTACTS } from '../src/importers/contacts/declaration.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const labelled = (...values: string[]) => values.map(value => ({ value, label: 'home' }))

const JOHN = {
  id: 'john',
  name: 'John Doe',
  organization: 'Acme',
  phones: [...labelled('555-0199'), { value: '555-0142', label: 'cell' }, { value: '555-0100', label: null }],
  emails: labelled('doe@example.org'),
  birthday: '1980-03-22',
  note: 'Plays the tuba.',
}

/** Contacts that are older than more messages with the same words than a search looks at. */
async function filled(server: TestServer): Promise<string> {
  const contacts = await server.connect(CONTACTS)
  const others = ['Jane Doe', 'John Smith', 'Don Johnson'].map(name => ({ data: { id: name, name } }))
  await server.ingest('contacts', contacts, [{ data: JOHN }, ...others])
  const mail = await server.connect(MAILBOX)
  const lines = Array.from({ length: 610 }, (_, i) =>
    message(`m${i}`, { subject: 'John Doe', body: `John does the phone number, ${i}`, from: 'John Doe' }),
  )
  await server.ingest('messages', mail, lines)
  return contacts
}

onEachEngine('EV-8 what is asked about a person is answered by the contact first', async engine => {
  await using server = await TestServer.start(engine)
  const contacts = await filled(server)
  const found = async (q: string, token?: string) => {
    const path = `/v1/search?limit=5&q=${encodeURIComponent(q)}`
    const { body } = await server.json(path, token ? { token } : {})
    return body.data as { record_key: string; values?: { field: string; text: string }[]; title: string }[]
  }
  for (const q of [
    'What is the phone number of John Doe?',
    'email of john doe',
    "When is John Doe's birthday?",
    'Telefonnummer von John Doe',
    'Who is John Doe?',
    'John Doe',
  ])
    assert.equal((await found(q))[0]?.record_key, 'john', q)
  const [card] = await found('birthday of John Doe')
  assert.deepEqual(card?.values?.[0], { field: 'birthday', text: '1980-03-22' })
  assert.ok(card?.values?.some(({ text }) => text === '555-0199 (home), 555-0142 (cell), 555-0100'))
  for (const q of ['What did John Doe write about the phone number', 'John Doe phone bill', '"John Doe"'])
    assert.notEqual((await found(q))[0]?.record_key, 'john', q)

  assert.equal((await found('mobile of John Doe'))[0]?.values?.[0]?.field, 'phones')

  const grant = await server.grant({ connections: [contacts], fields: ['id', 'phones', 'note'] })
  assert.deepEqual(await found('phone number of John Doe', grant), [])
})
