import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf } from '../../../test/imported.ts'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'
import { withWholeCharacters } from './sms-backup.ts'

const HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<smses count=\"3\">\n"
const sms = (type: number, body: string, more = '') =>
  `<sms protocol="0" address="+49 170 123-4567" date="1711821909000" type="${type}" subject="null" body="${body}" ${more}/>\n`

test('messages of SMS Backup & Restore are read with people, pictures and emoji', async context => {
  const mms =
    '<mms date="1711821969000" msg_box="1" address="+491701234567~+491707654321" contact_name="Ada, Ben" m_id="m1" sub="Rye">' +
    '<parts><part seq="-1" ct="application/smil" text="layout"/><part ct="text/plain" text="Look"/>' +
    `<part ct="image/png" cl="loaf.png" data="${Buffer.from('PNG').toString('base64')}"/></parts>` +
    '<addrs><addr address="+491707654321" type="137"/><addr address="+491701234567" type="151"/></addrs></mms>\n'
  const folder = folderWith(context, {
    'sms-20240330.xml': `${HEAD}${sms(1, 'Gr&#252;&#223;e &#55358;&#56662;', 'contact_name="Ada"')}${sms(2, 'Fresh rye')}${sms(2, 'Fresh rye')}${sms(1, 'x', 'contact_name="(Unknown)"')}${mms}</smses>`,
  })
  assert.deepEqual(await formatsOf(folder), ['sms-backup'])
  const reading = await readingOf('sms-backup', folder)
  const messages = reading.of('sms_messages')
  assert.deepEqual(rowsOf(messages, 'chat', 'sender', 'text', 'sent_at', 'position'), [
    ['Ada', 'Ada', 'Grüße 🥖', '2024-03-30T18:05:09Z', 1],
    ['+491701234567', 'You', 'Fresh rye', '2024-03-30T18:05:09Z', 2],
    ['+491701234567', 'You', 'Fresh rye', '2024-03-30T18:05:09Z', 3],
    ['+491701234567', '+491701234567', 'x', '2024-03-30T18:05:09Z', 4],
    ['Ada, Ben', '+491707654321', 'Look', '2024-03-30T18:06:09Z', 1],
  ])
  assert.equal(new Set(messages.slice(0, 4).map(({ chat_id }) => chat_id)).size, 1)
  assert.equal(new Set(messages.map(({ id }) => id)).size, 5)
  assert.deepEqual(
    reading.blobs.map(({ content }) => content.toString()),
    ['PNG'],
  )
})

test('a character whose halves are in two chunks is whole', async () => {
  const text = '<a b="&#55358;&#56662; &amp; &#55358;x &"/>'
  for (let chunk = 1; chunk <= text.length; chunk++) {
    const [file = assert.fail()] = sourceOf({ a: text }, { chunk }).files
    const chunks: Uint8Array[] = []
    for await (const each of withWholeCharacters(file.open())) chunks.push(each)
    assert.equal(Buffer.concat(chunks).toString(), '<a b="🥖 &amp; &#55358;x &"/>', String(chunk))
  }
})
