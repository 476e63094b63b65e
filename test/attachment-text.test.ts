import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onEachEngine, PUBLIC_URL, TestServer } from './engines.ts'
import { importPlace } from './import-place.ts'
import { LETTER, pdfOf } from './made-documents.ts'
import { McpTestClient } from './mcp-client.ts'
import { mcpPost } from './mcp-post.ts'

const FILLER = Array.from({ length: 40 }, (_, n) => `Line ${n} of the contract says nothing.`).join('\n')
const CONTRACT = pdfOf([FILLER, `${FILLER}\nThe escapement costs 40 guineas.\n${FILLER}`, FILLER], {
  packed: true,
})

function mail(n: number, name: string, type: string, bytes: Uint8Array): string {
  const packed = Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\n')
  return `From a@example.org Mon Jan  5 10:00:0${n} 2026
From: Ada <a@example.org>
Message-ID: <m${n}@example.org>
Subject: Letter ${n}
Date: Mon, 5 Jan 2026 10:00:0${n} +0000
Content-Type: multipart/mixed; boundary=b

--b

See the attachment.
--b
Content-Type: image/png; name=logo.png
Content-Transfer-Encoding: base64

aGVsbG8=
--b
Content-Type: ${type}; name="${name}"
Content-Transfer-Encoding: base64

${packed}
--b--

`
}

const OCTETS = 'application/octet-stream'
const MAILBOX = [
  mail(1, 'contract.pdf', 'application/pdf', CONTRACT),
  mail(2, 'letter.docx', OCTETS, LETTER),
  mail(3, 'broken.pdf', 'application/pdf', CONTRACT.subarray(0, 200)),
  // An attachment of more than a megabyte is not held in memory but passed on in chunks.
  mail(
    4,
    'long.pdf',
    'application/pdf',
    Buffer.concat([pdfOf(['Of pendulums']), Buffer.alloc(1_200_000, '%\n')]),
  ),
].join('')

interface Listed {
  data: { id: string; data: Record<string, (string | null)[]> }[]
}

onEachEngine(
  'the text of attachments can be searched, read in windows with page numbers, and granted',
  async engine => {
    await using place = await importPlace(engine)
    const path = join(place.folder, 'inbox.mbox')
    await writeFile(path, MAILBOX)
    const dry = (await place.import(path, '--dry-run', '--json')).json
    const { json } = await place.import(path, '--json')
    assert.deepEqual([json.added, json.rejected], [4, 1])
    assert.deepEqual([dry.seen, dry.added, dry.rejections], [json.seen, json.added, json.rejections])
    const [{ place: where, code, message }] = json.rejections
    assert.match(where, /^inbox\.mbox, byte \d+, broken\.pdf$/)
    assert.deepEqual([code, /The file itself is kept\.$/.test(message)], ['broken_document', true])
    const listed = await place.call<Listed>('/v1/streams/emails/records?order=asc')
    const starts = listed.data.map(({ data }) =>
      data.attachment_text?.map(text => text?.slice(0, 12) ?? null),
    )
    assert.deepEqual(starts, [
      [null, 'Line 0 of th'],
      [null, 'Dear Ben & C'],
      undefined,
      [null, 'Of pendulums'],
    ])
    const again = await place.import(path, '--json')
    assert.deepEqual([again.json.added, again.json.updated, again.json.unchanged], [0, 0, 4])

    await using server = await TestServer.on(place.config.location)
    const token = await server.grant({ streams: ['emails'] })
    await using client = await McpTestClient.connect(server, token)
    const found = await client.call('search', { query: 'has:attachment type:pdf' })
    const ids = found.structured.results.map(({ id }: { id: string }) => id)
    assert.equal(ids.length, 3)
    const [id] = (await client.call('search', { query: 'escapement' })).structured.results.map(
      (result: { id: string }) => result.id,
    )
    const window = { id, field_path: '/attachment_text/1', q: 'escapement', before_chars: 4, after_chars: 9 }
    const read = await client.call('read_record_field', window)
    assert.equal(read.structured.window.text, 'The escapement costs 40')
    assert.equal(read.result._meta['footnote/window'].pages, 'page 2 of 3')
    assert.match(read.text, /"pages":"page 2 of 3"/)

    const ledger = await server.json('/v1/owner/disclosures?limit=1')
    assert.deepEqual(ledger.body.data[0].shown[0].fields, ['attachment_text', 'attachment_pages'])
    const { start_chars } = read.structured.window
    const passage = { name: 'fetch', arguments: { id: `${id}#/attachment_text/1@${start_chars}` } }
    const headers = { Authorization: `Bearer ${token}`, Host: new URL(PUBLIC_URL).host }
    const asked = mcpPost('tools/call', passage, headers)
    const research = await server.request('/mcp/research', { ...asked, token: null })
    assert.match(await research.text(), /\\"pages\\":\\"pages 2 to 3 of 3\\"/)
    const { tool, args } = (await client.call('fetch', { id })).structured.metadata.read
    assert.match((await client.call(tool, args)).text, /Line 0 of the contract/)

    const [, connection, record] = /^(.*)\/emails:(.*)$/.exec(id) ?? []
    const address = `/v1/streams/emails/records/${record}/field-window?connection_id=${connection}&field=/attachment_text/1`
    const windowWith = async (fields: string[]) =>
      server.json(address, { token: await server.grant({ streams: ['emails'], fields }) })
    const whole = await windowWith(['attachment_text', 'attachment_pages'])
    assert.deepEqual(whole.body.window.pages, { unit: 'page', first: 1, last: 3, of: 3, name: null })
    const plain = await windowWith(['attachment_text'])
    assert.equal(plain.body.window.text, whole.body.window.text)
    assert.equal('pages' in plain.body.window, false)
    const hidden = await windowWith(['subject', 'attachment_pages'])
    assert.deepEqual([hidden.status, hidden.body.error.code], [403, 'field_not_granted'])
    const blind = await server.grant({ streams: ['emails'], fields: ['subject', 'attachments'] })
    assert.deepEqual((await server.json('/v1/search?q=escapement', { token: blind })).body.data, [])
  },
)
