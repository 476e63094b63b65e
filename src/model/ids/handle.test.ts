import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '../errors.ts'
import { namedBy } from './citation.ts'
import { formatResultId, parseResultId } from './handle.ts'

/** [id, connection, stream, record] */
type Accepted = [string, string | null, string, string][]

const SPLIT: Accepted = [
  ['cin_4f2a/orders:o1', 'cin_4f2a', 'orders', 'o1'],
  ['c/s:r', 'c', 's', 'r'],
  ['c/s:r:t', 'c', 's', 'r:t'],
  ['c/s::', 'c', 's', ':'],
  ['c/s::r', 'c', 's', ':r'],
  ['c/s:r:', 'c', 's', 'r:'],
  ['c:d/s:r', 'c:d', 's', 'r'],
  [':/s:r', ':', 's', 'r'],
  ['c/messages:2026-04-06T10:00:00Z', 'c', 'messages', '2026-04-06T10:00:00Z'],
  ['c/s:["a","b"]', 'c', 's', '["a","b"]'],
  ['c/s:<m.1@host.example>', 'c', 's', '<m.1@host.example>'],
  ['c/s:日本語 😀', 'c', 's', '日本語 😀'],
]

const VERBATIM: Accepted = [
  ['notes: a b ', null, 'notes', ' a b '],
  ['c/pdpp:r', 'c', 'pdpp', 'r'],
  ['pdpp/s:r', 'pdpp', 's', 'r'],
  ['c/s:a%2Fb', 'c', 's', 'a%2Fb'],
  ['c/s:%2e%2e', 'c', 's', '%2e%2e'],
  ['c%2Fd/s:r', 'c%2Fd', 's', 'r'],
  ['c/s:a+b&c=d?e#f', 'c', 's', 'a+b&c=d?e#f'],
  [' c / s : r ', ' c ', ' s ', ' r '],
  ['c/s:\tr\n', 'c', 's', '\tr\n'],
  ['C/S:R', 'C', 'S', 'R'],
  ['c/s:.r', 'c', 's', '.r'],
  ['c/s:r.', 'c', 's', 'r.'],
  ['c/s:a.b.c', 'c', 's', 'a.b.c'],
  ['.c/.s:r', '.c', '.s', 'r'],
  ['c/s:cafe\u0301', 'c', 's', 'cafe\u0301'],
  ['c/s:caf\u00E9', 'c', 's', 'caf\u00E9'],
  ['c/s:v1', 'c', 's', 'v1'],
  ['v1/s:r', 'v1', 's', 'r'],
]

const LEGACY: Accepted = [
  ['orders:o1', null, 'orders', 'o1'],
  ['orders:o:1', null, 'orders', 'o:1'],
  ['orders::', null, 'orders', ':'],
  ['pdpp:record', null, 'pdpp', 'record'],
  ['pdpp:record:1', null, 'pdpp', 'record:1'],
  ['a:b:c', null, 'a', 'b:c'],
  ['result:3', null, 'result', '3'],
  ['notes:a%2Fb', null, 'notes', 'a%2Fb'],
  ['cin_4f2a:orders:o1', null, 'cin_4f2a', 'orders:o1'],
]

const UNPRINTABLE: Accepted = [
  ['c/s:a\u0000b', 'c', 's', 'a\u0000b'],
  ['c/s:a\u202Eb', 'c', 's', 'a\u202Eb'],
  ['c/s:a\u2028b', 'c', 's', 'a\u2028b'],
  ['c/s:\uD83D', 'c', 's', '\uD83D'],
  [`c/s:${'r'.repeat(8188)}`, 'c', 's', 'r'.repeat(8188)],
]

/** [id, invalid segment, part of the reason] */
type Refused = [string, string, string][]

const EMPTY: Refused = [
  ['', 'stream', 'is empty'],
  ['/', 'connection_id', 'is empty'],
  [':', 'stream', 'is empty'],
  ['/:', 'connection_id', 'is empty'],
  ['/s:r', 'connection_id', 'is empty'],
  ['c/:r', 'stream', 'is empty'],
  ['c/s:', 'record_id', 'is empty'],
  ['c/', 'stream', 'is empty'],
  [':r', 'stream', 'is empty'],
  ['s:', 'record_id', 'is empty'],
  ['s', 'record_id', 'is missing'],
  ['c/s', 'record_id', 'is missing'],
  ['c:d/s', 'record_id', 'is missing'],
]

const SEPARATOR: Refused = [
  ['c/s/t:r', 'stream', 'contains "/"'],
  ['c//s:r', 'stream', 'contains "/"'],
  ['c/s:r/t', 'record_id', 'contains "/"'],
  ['c/s:/r', 'record_id', 'contains "/"'],
  ['c/s:r/', 'record_id', 'contains "/"'],
  ['https://example.com/a:b', 'stream', 'contains "/"'],
  ['pdpp://record/abc', 'stream', 'contains "/"'],
  ['files:docs/a.txt', 'record_id', 'is missing'],
]

const TRAVERSAL: Refused = [
  ['../s:r', 'connection_id', 'contains ".."'],
  ['c/..:r', 'stream', 'contains ".."'],
  ['c/s:..', 'record_id', 'contains ".."'],
  ['c/s:a..b', 'record_id', 'contains ".."'],
  ['a..b/s:r', 'connection_id', 'contains ".."'],
  ['c/a..:r', 'stream', 'contains ".."'],
  ['c/s:...', 'record_id', 'contains ".."'],
  ['c/../s:r', 'stream', 'contains ".."'],
  ['c/s:../../etc', 'record_id', 'contains ".."'],
  ['..:r', 'stream', 'contains ".."'],
  ['s:..', 'record_id', 'contains ".."'],
  ['./s:r', 'connection_id', 'is "."'],
  ['c/.:r', 'stream', 'is "."'],
  ['c/s:.', 'record_id', 'is "."'],
  ['s:.', 'record_id', 'is "."'],
  ['c\\d/s:r', 'connection_id', 'contains "\\"'],
  ['c/s\\t:r', 'stream', 'contains "\\"'],
  ['c/s:r\\t', 'record_id', 'contains "\\"'],
  ['s:a\\b', 'record_id', 'contains "\\"'],
  ['s\\t:r', 'stream', 'contains "\\"'],
]

const LENGTH: Refused = [
  [`c/s:${'r'.repeat(8189)}`, 'id', 'more than 8192'],
  ['/'.repeat(1_000_000), 'id', 'more than 8192'],
]

/** Records that have no id in the grammar: [connection, stream, record] */
const UNFORMATTABLE: [string | null, string, string][] = [
  ['c', 's', ''],
  ['c', '', 'r'],
  ['', 's', 'r'],
  ['c', 's', '.'],
  ['c', 's', '..'],
  ['c', 's', 'a..b'],
  ['c', 's', 'a/b'],
  ['c', 's', 'a\\b'],
  ['c', 's/t', 'r'],
  ['c', 's:t', 'r'],
  [null, 's:t', 'r'],
  [null, 's', 'a/b'],
  ['c/d', 's', 'r'],
  ['..', 's', 'r'],
  ['c', 's', 'a\nb'],
  ['c', 's', 'a\rb'],
  ['c', 's', 'a\tb'],
  ['c', 's', 'a\u0000b'],
  ['c', 's', 'a\u007Fb'],
  ['c', 's', 'a\u0085b'],
  ['c', 's', 'a\u2028b'],
  ['c', 's', 'a\u2029b'],
  ['c', 's', 'a\u200Eb'],
  ['c', 's', 'a\u061Cb'],
  ['c', 's', 'a\u202Eb'],
  ['c', 's', 'a\u2066b'],
  ['c', 's\u202E', 'r'],
  ['c\n', 's', 'r'],
  ['c', 's', '\uD83D'],
  ['c', 's', 'r'.repeat(8192)],
]

test('ID-1 the connection ends at the first slash, the stream at the first colon after it', () =>
  accepts(SPLIT))

test('ID-2 no escaping, no percent-decoding, no trimming, no version prefix', () => accepts(VERBATIM))

test('ID-3 without a slash the id is the legacy form, split at its first colon', () => accepts(LEGACY))

test('ID-11 parsing refuses only what ID-2 names', () => accepts(UNPRINTABLE))

test('ID-7 an empty or missing segment is refused, naming it and why', () => refuses(EMPTY))

test('ID-7 an extra separator is refused, naming the segment and why', () => refuses(SEPARATOR))

test('ID-2 ID-7 traversal, a backslash or a lone dot is refused in any segment', () => refuses(TRAVERSAL))

test('ID-7 an id of any length gets a typed answer', () => refuses(LENGTH))

test('ID-9 an id that contains a slash is unchanged after a round trip through its parts', () => {
  for (const [id, connection_id, stream, record_id] of [...SPLIT, ...LEGACY]) {
    assert.equal(formatResultId(connection_id, stream, record_id), id)
  }
})

test('ID-3 a record without a connection gets the legacy form', () => {
  assert.equal(formatResultId(null, 'orders', 'o:1'), 'orders:o:1')
})

test('ID-11 ID-2 a record that the grammar or a line of text cannot express gets no id', () => {
  for (const [connection_id, stream, record_id] of UNFORMATTABLE) {
    const row = JSON.stringify([connection_id, stream, record_id.slice(0, 80)])
    assert.equal(formatResultId(connection_id, stream, record_id), null, row)
  }
})

test('ID-1 every id that can be formed parses to the record it was formed from', () => {
  const segments = ['a', ':', '.', '..', 'a:b', ' ', '', '/', 'a/b', '\\', '%2F', '😀', '\n', 'a.b', ':a']
  for (const connection_id of [null, ...segments]) {
    for (const stream of segments) {
      for (const record_id of segments) {
        const id = formatResultId(connection_id, stream, record_id)
        if (id !== null) assert.deepEqual(parseResultId(id), { connection_id, stream, record_id }, id)
      }
    }
  }
})

function accepts(rows: Accepted): void {
  for (const [id, connection_id, stream, record_id] of rows) {
    assert.deepEqual(parseResultId(id), { connection_id, stream, record_id }, JSON.stringify(id))
  }
}

function refuses(rows: Refused): void {
  for (const [id, segment, reason] of rows) {
    const error = refusalOf(id)
    assert.equal(error.code, 'invalid_result_id')
    assert.equal(error.details.segment, segment, JSON.stringify(id.slice(0, 80)))
    assert.ok(String(error.details.reason).includes(reason), `${id.slice(0, 80)}: ${error.details.reason}`)
    assert.ok(error.message.includes(reason), error.message)
  }
}

function refusalOf(id: string): CodedError {
  try {
    parseResultId(id)
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error))
    return error
  }
  return assert.fail(`accepted ${JSON.stringify(id)}`)
}

test('ID-4 a link of a server on this computer may have another name of it', () => {
  const named = { connection_id: 'cin_a', stream: 'mail', record_id: 'b' }
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    assert.deepEqual(namedBy(`http://${host}:7007/r/cin_a/mail/b`, undefined, 'http://127.0.0.1:7007'), named)
  assert.throws(() => namedBy('http://localhost:7008/r/cin_a/mail/b', undefined, 'http://127.0.0.1:7007'))
})
