import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { PROVING } from './engines.ts'
import { importInChild } from './import-child.ts'
import { importPlace } from './import-place.ts'
import { rowsOf } from './rows-of.ts'

const MEGABYTES = PROVING ? [10, 50, 200] : [10]
const SMALL_BYTES = 512 * 1024
/**
 * The same limit for each size. It is higher than for small messages, because 8 MiB of each text are held and indexed
 * at once.
 */
const MOST_MEGABYTES = 400

interface Encoding {
  transfer: string
  charset: string
  /** Whether `npm test` also imports it at full size. It imports the others at a small size. */
  always?: boolean
  /** A block of decoded text, as bytes of the charset; the mail repeats it. */
  block: Buffer
  /** The block as it is written into the mail. */
  encoded: string | Buffer
}

const LINES = Array.from(
  { length: 600 },
  (_, n) => `Line ${n} of the logbook, wind ${(n * 7919) % 360} degrees.`,
)
const ASCII = Buffer.from(`${LINES.join('\n')}\n`)
const GERMAN = Buffer.from(`${LINES.map(line => line.replace('Line', 'Zeile über')).join('\n')}\n`)

function base64Lines(bytes: Buffer): string {
  return `${bytes.toString('base64').replace(/.{76}/g, '$&\n')}\n`
}

function quoted(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[=\x80-\xff]/g, byte => `=${byte.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/ logbook/g, ' log=\nbook')
}

/** A multiple of 3 bytes, so that encoded blocks can be joined. */
function inThrees(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - (bytes.length % 3))
}

const JAPANESE = Buffer.from('\x1b$B5-O?\x1b(B of the harbour\n'.repeat(900), 'latin1')
const UTF16 = Buffer.from(`${LINES.join(' – ')}\n`.repeat(3), 'utf16le')

const ENCODINGS: Encoding[] = [
  { transfer: '7bit', charset: 'us-ascii', block: ASCII, encoded: ASCII },
  { transfer: '8bit', charset: 'utf-8', block: GERMAN, encoded: GERMAN },
  { transfer: 'quoted-printable', charset: 'utf-8', block: GERMAN, encoded: quoted(GERMAN), always: true },
  { transfer: 'base64', charset: 'utf-8', block: inThrees(ASCII), encoded: base64Lines(inThrees(ASCII)) },
  { transfer: 'binary', charset: 'utf-8', block: GERMAN, encoded: GERMAN },
  { transfer: '7bit', charset: 'iso-2022-jp', block: JAPANESE, encoded: JAPANESE },
  { transfer: 'base64', charset: 'utf-16le', block: inThrees(UTF16), encoded: base64Lines(inThrees(UTF16)) },
]

/** Writes the mail and returns the digest and the size of its decoded text. */
async function writeMail(path: string, subject: string, encoding: Encoding, bytes: number) {
  const { transfer, charset, block, encoded } = encoding
  const file = createWriteStream(path, { highWaterMark: 1024 * 1024 })
  const hash = createHash('sha256')
  file.write(
    `From: a@example.org\nTo: b@example.org\nSubject: ${subject}\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n` +
      `MIME-Version: 1.0\nContent-Type: text/plain; charset=${charset}\nContent-Transfer-Encoding: ${transfer}\n\n`,
  )
  let size = 0
  while (size < bytes) {
    hash.update(block)
    size += block.length
    if (!file.write(encoded)) await once(file, 'drain')
  }
  // The line break at the end of a body is not part of the text, so the last line is hashed without it.
  if (transfer !== 'base64') {
    hash.update('The end.')
    size += 8
    file.write('The end.\n')
  }
  file.end()
  await once(file, 'close')
  return { digest: hash.digest('hex'), size }
}

for (const megabytes of MEGABYTES) {
  test(`mails of ${megabytes} MB are imported whole, whatever their encoding`, async () => {
    await using place = await importPlace('sqlite')
    const written = []
    for (const [index, encoding] of ENCODINGS.entries()) {
      const path = join(place.folder, `mail/${index}.eml`)
      await mkdir(dirname(path), { recursive: true })
      const large = PROVING || encoding.always === true
      const bytes = large ? megabytes * 1024 * 1024 : SMALL_BYTES
      const mail = await writeMail(path, `Letter ${index}`, encoding, bytes)
      written.push({ subject: `Letter ${index}`, encoding, large, ...mail })
    }
    const { exitCode, json, peakMegabytes } = await importInChild(join(place.folder, 'mail'), place.flags)
    assert.deepEqual([exitCode, json.added, json.rejections], [0, ENCODINGS.length, []])
    assert.ok(peakMegabytes < MOST_MEGABYTES, `${Math.round(peakMegabytes)} MB`)

    for (const { subject, encoding, large, digest, size } of written) {
      const { id, data } = await mailOf(place, subject)
      const body = await storedText(place, id, 'body')
      assert.deepEqual(
        rowsOf(data.attachments ?? [], 'blob_id', 'size_bytes'),
        large ? [[`sha256-${digest}`, size]] : [],
        `${encoding.transfer} ${encoding.charset}`,
      )
      if (!large) {
        assert.equal(body.digest, wholeDigest(encoding, size), `${encoding.transfer} ${encoding.charset}`)
        continue
      }
      assert.equal(await digestOf(await place.request(`/v1/blobs/sha256-${digest}`)), digest)
      const start = new TextDecoder(encoding.charset).decode(startOf(encoding))
      assert.ok(body.size_chars > start.length * 0.8, `${body.size_chars} characters of ${start.length}`)
      assert.equal(
        body.digest,
        digestOfText(start.slice(0, body.size_chars)),
        `${encoding.transfer} ${encoding.charset}`,
      )
    }
  })
}

interface Mail {
  attachments?: { blob_id: string; size_bytes: number }[]
}

type Place = Awaited<ReturnType<typeof importPlace>>

async function mailOf(place: Place, subject: string): Promise<{ id: string; data: Mail }> {
  const page = await place.call<{ data: { id: string; data: Mail }[] }>(
    `/v1/streams/emails/records?where[subject]=${encodeURIComponent(subject)}`,
  )
  return page.data[0] ?? assert.fail(subject)
}

/** The length and the digest of a whole text as it is stored. */
async function storedText(place: Place, id: string, field: string) {
  const { field: facts } = await place.call<{ field: { size_chars: number; digest: string } }>(
    `/v1/streams/emails/records/${id}/field-window?field=${field}&limit_chars=1`,
  )
  return facts
}

function digestOfText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** The digest of the decoded text of a small message, whose block `writeMail` repeats. */
function wholeDigest({ transfer, charset, block }: Encoding, size: number): string {
  const blocks = Array.from({ length: Math.floor(size / block.length) }, () => block)
  const text = new TextDecoder(charset).decode(Buffer.concat(blocks))
  return digestOfText(transfer === 'base64' ? text.trimEnd() : `${text}The end.`)
}

/** A little more than the part that stays in the record. */
function startOf({ block }: Encoding): Buffer {
  return Buffer.concat(Array.from({ length: Math.ceil((9 * 1024 * 1024) / block.length) }, () => block))
}

async function digestOf(response: Response): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of response.body ?? []) hash.update(chunk)
  return hash.digest('hex')
}

test('an attached message of 2 MB keeps its subject and text', async () => {
  await using place = await importPlace('sqlite')
  const text = ASCII.toString().repeat(100)
  const inner = `From: c@example.org\nSubject: The inner letter\nDate: Sun, 4 Jan 2026 10:00:00 +0000\n\n${text}`
  const path = join(place.folder, 'forwarded.eml')
  await writeFile(
    path,
    'From: a@example.org\nSubject: Fwd\nDate: Mon, 5 Jan 2026 10:00:00 +0000\nMIME-Version: 1.0\n' +
      `Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below.\n--b\nContent-Type: message/rfc822\n\n${inner}\n--b--\n`,
  )
  const { json } = await place.import(path, '--json')
  assert.deepEqual([json.added, json.rejections], [1, []])
  const { id } = await mailOf(place, 'Fwd')
  const stored = await storedText(place, id, '/attachment_text/0')
  assert.equal(stored.digest, digestOfText(`The inner letter\n\n${text.trimEnd()}`))
})
