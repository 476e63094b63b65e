import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { count } from './engines.ts'
import { importInChild } from './import-child.ts'
import { importPlace } from './import-place.ts'

const MAILBOX_BYTES = count(1, 1_024) * 1024 * 1024
const PART_BYTES = 60 * 1024 * 1024
const MOST_MEGABYTES = 300

/** Messages of about a kilobyte each, with one in the middle that has a part of 60 MB. */
async function writeMailbox(path: string): Promise<number> {
  const file = createWriteStream(path, { highWaterMark: 1024 * 1024 })
  const write = async (text: string) => {
    if (!file.write(text)) await once(file, 'drain')
  }
  let messages = 0
  for (let size = 0; size < MAILBOX_BYTES; messages++) {
    const words = Array.from({ length: 100 }, (_, i) =>
      ((messages * 7919 + i * i * 31) % 20_011).toString(36),
    )
    const text =
      `From a@example.org Mon Jan  5 10:00:00 2026\nFrom: a@example.org\nMessage-ID: <m${messages}@example.org>\n` +
      `Date: Mon, 5 Jan 2026 10:00:00 +0000\nSubject: Letter ${messages}\n\n${words.join(' ')}\n\n`
    await write(text)
    size += text.length
    if (messages === 1_000) await writeLarge(write)
  }
  file.end()
  await once(file, 'close')
  return messages + 1
}

async function writeLarge(write: (text: string) => Promise<void>): Promise<void> {
  await write(
    'From a@example.org Mon Jan  5 10:00:00 2026\nFrom: a@example.org\nSubject: A film\nMIME-Version: 1.0\n' +
      'Content-Type: video/mp4; name=film.mp4\nContent-Transfer-Encoding: base64\n\n',
  )
  const lines = `${'QUJD'.repeat(19)}\n`.repeat(1_000)
  for (let size = 0; size < PART_BYTES; size += 57 * 1_000) await write(lines)
  await write('\n')
}

test('memory stays under 300 MB whatever the size of the mailbox and its parts', {
  skip: !existsSync('/proc/self/status'),
}, async () => {
  await using place = await importPlace('sqlite')
  const path = join(place.folder, 'large.mbox')
  const messages = await writeMailbox(path)
  const { exitCode, json, peakMegabytes } = await importInChild(path, place.flags)
  assert.equal(exitCode, 0)
  assert.deepEqual([json.seen, json.added], [messages, messages])
  assert.ok(peakMegabytes > 0 && peakMegabytes < MOST_MEGABYTES, `${Math.round(peakMegabytes)} MB`)
  const found = await place.call<{ data: { data: { attachments: { size_bytes: number }[] } }[] }>(
    '/v1/streams/emails/records?where[subject]=A%20film',
  )
  assert.ok((found.data[0]?.data.attachments[0]?.size_bytes ?? 0) >= PART_BYTES)
})
