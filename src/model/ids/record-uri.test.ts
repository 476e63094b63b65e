import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '../errors.ts'
import {
  formatResultId,
  isRecordUri,
  parseRecordHandle,
  parseRecordUri,
  recordHandle,
  recordUri,
} from './handle.ts'

/** [connection, stream, record]; they need not match the text grammar */
const RECORDS: [string | null, string, string][] = [
  ['cin_4f2a', 'orders', 'o1'],
  [null, 'orders', 'o1'],
  ['c', 's', 'a/b'],
  ['c', 's', 'a\\b'],
  ['c', 's', '..'],
  ['c', 's', '.'],
  ['c', 's', '../../etc/passwd'],
  ['c', 's:t', 'r'],
  ['c', 's', 'a\nb\u0000\u202E'],
  ['c', 's', '日本語 😀'],
  ['c', 's', '\uD83D'],
  ['c', 's', '"}{"'],
  ['c', 's', '%2F%'],
  ['c', 's', '?>~ÿ'],
  ['c'.repeat(128), 's'.repeat(128), '\u0001'.repeat(1024)],
  ['c'.repeat(128), 's'.repeat(128), '😀'.repeat(1024)],
]

const FORMATTABLE: [string | null, string, string][] = [
  ['cin_4f2a', 'orders', 'o1'],
  [null, 'orders', 'o1'],
  ['c:d', 's', 'r:t:u'],
  ['c', 's', 'a%2Fb'],
  ['c', 's', 'a b+c?d#e&f=g'],
  ['c', 's', "!'()*~_-."],
  ['c', 's', 'é😀'],
  ['c'.repeat(128), 's'.repeat(128), '😀'.repeat(1024)],
]

const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const identity = { v: 1, kind: 'record', connection_id: 'c', stream: 's', record_id: 'r' }

const REFUSED: [string, string][] = [
  ['empty', ''],
  ['a word', 'orders'],
  ['not base64url', 'a+b='],
  ['padding', `${json(identity)}=`],
  ['stray bits', `${Buffer.from('{}').toString('base64url').slice(0, -1)}1`],
  ['one letter too many', `${json(identity)}A`],
  ['broken UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('base64url')],
  ['byte order mark', Buffer.from(`\uFEFF${JSON.stringify(identity)}`).toString('base64url')],
  ['no JSON', Buffer.from('orders:o1').toString('base64url')],
  ['null', json(null)],
  ['a number', json(1)],
  ['an array', json([identity])],
  ['an empty object', json({})],
  ['deep nesting', Buffer.from('['.repeat(9000)).toString('base64url')],
  ['no version', json({ ...identity, v: undefined })],
  ['another version', json({ ...identity, v: 2 })],
  ['a version in quotes', json({ ...identity, v: '1' })],
  ['another kind', json({ ...identity, kind: 'blob' })],
  ['no stream', json({ ...identity, stream: undefined })],
  ['empty stream', json({ ...identity, stream: '' })],
  ['a number as stream', json({ ...identity, stream: 1 })],
  ['no record', json({ ...identity, record_id: undefined })],
  ['empty record', json({ ...identity, record_id: '' })],
  ['an object as record', json({ ...identity, record_id: { toString: 'r' } })],
  ['null as record', json({ ...identity, record_id: null })],
  ['empty connection', json({ ...identity, connection_id: '' })],
  ['a list as connection', json({ ...identity, connection_id: ['c'] })],
  ['only a prototype', Buffer.from(`{"__proto__":${JSON.stringify(identity)}}`).toString('base64url')],
  ['raw id', 'c/s:r'],
  ['half-encoded id', 'c/s%3Ar'],
  ['encoded traversal', 'c%2Fs%3A%2E%2E'],
  ['encoded slash in the record', 'c%2Fs%3Aa%2Fb'],
  ['encoded backslash', 'c%2Fs%3Aa%5Cb'],
  ['encoded twice', encodeURIComponent(encodeURIComponent('c/s:r'))],
  ['cut escape', 'c%2Fs%3Ar%2'],
  ['no escape', 'c%2Fs%3Ar%zz'],
  ['escape of broken UTF-8', 'c%2Fs%3A%FF'],
  ['query', 'c%2Fs%3Ar?x=1'],
  ['fragment', 'c%2Fs%3Ar#x'],
  ['space', 'c%2Fs%3Ar r'],
  ['line break', 'c%2Fs%3Ar\n'],
  ['line break after base64url', `${json(identity)}\n`],
  ['not ASCII', 'c%2Fs%3Aé'],
  ['trailing slash', `${json(identity)}/`],
  ['a long one', json({ ...identity, record_id: 'r'.repeat(16_384) })],
  ['a very long one', '%'.repeat(5_000_000)],
]

const REFUSED_URIS = [
  '',
  'pdpp://record',
  'pdpp://record/',
  'PDPP://record/orders%3Ao1',
  ' pdpp://record/orders%3Ao1',
  'pdpp:/record/orders%3Ao1',
  'pdpp://blob/orders%3Ao1',
  'pdpp://field-window/orders%3Ao1',
  'pdpp://records/orders%3Ao1',
  'pdpp://record//orders%3Ao1',
  'pdpp://record/../record/orders%3Ao1',
  'pdpp://user@record/orders%3Ao1',
  'https://record/orders%3Ao1',
  'orders:o1',
]

test('ID-11 RC-1 every record has a handle of letters, digits, _ and - that decodes to it', () => {
  for (const [connection_id, stream, record_id] of RECORDS) {
    const handle = recordHandle(connection_id, stream, record_id)
    assert.match(handle, /^[A-Za-z0-9_-]+$/)
    assert.deepEqual(parseRecordHandle(handle), { connection_id, stream, record_id })
  }
})

test('RC-1 a handle is base64url of the JSON that other servers write', () => {
  const handle = recordHandle('cin_4f2a', 'orders', 'o1')
  assert.equal(
    Buffer.from(handle, 'base64url').toString(),
    '{"v":1,"kind":"record","connection_id":"cin_4f2a","stream":"orders","record_id":"o1"}',
  )
  const reordered = json({ record_id: 'r', stream: 's', kind: 'record', v: 1, label: 'ignored' })
  assert.deepEqual(parseRecordHandle(reordered), { connection_id: null, stream: 's', record_id: 'r' })
})

test('ID-12 RC-1 a percent-encoded result id is a handle of the same record', () => {
  for (const [connection_id, stream, record_id] of FORMATTABLE) {
    const id = formatResultId(connection_id, stream, record_id) ?? assert.fail('no id')
    const handle = encodeURIComponent(id)
    assert.deepEqual(parseRecordHandle(handle), { connection_id, stream, record_id }, id)
    const strict = handle.replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16)}`)
    assert.deepEqual(parseRecordHandle(strict), { connection_id, stream, record_id }, id)
  }
  const expected = { connection_id: 'c', stream: 's', record_id: 'r' }
  assert.deepEqual(parseRecordHandle('c%2fs:r'), expected, 'a host may rewrite escapes')
})

test('ID-12 a record URI resolves to the same record as its id', () => {
  for (const [connection_id, stream, record_id] of FORMATTABLE) {
    const id = formatResultId(connection_id, stream, record_id) ?? assert.fail('no id')
    const expected = { connection_id, stream, record_id }
    assert.deepEqual(parseRecordUri(`pdpp://record/${encodeURIComponent(id)}`), expected)
    const uri = recordUri(connection_id, stream, record_id)
    assert.ok(isRecordUri(uri))
    assert.deepEqual(parseRecordUri(uri), expected)
    assert.ok(!isRecordUri(id))
  }
})

test('RC-1 ID-7 a handle of another shape is refused with a typed error', () => {
  for (const [what, handle] of REFUSED) {
    assert.throws(() => parseRecordHandle(handle), isInvalidResultId, what)
    assert.throws(() => parseRecordUri(`pdpp://record/${handle}`), isInvalidResultId, what)
  }
})

test('RC-1 ID-7 a URI of another kind is refused with a typed error', () => {
  for (const uri of REFUSED_URIS) assert.throws(() => parseRecordUri(uri), isInvalidResultId, uri)
})

test('ID-7 a cut or changed handle never throws anything but a typed error', () => {
  const handles = [recordHandle('c', 's', 'é😀'), encodeURIComponent('c/s:é😀')]
  for (const handle of handles) {
    for (let i = 0; i < handle.length; i++) {
      for (const put of ['', '%', 'A', '\uD83D', '/', '\0']) {
        try {
          parseRecordHandle(handle.slice(0, i) + put + handle.slice(i + 1))
        } catch (error) {
          assert.ok(isInvalidResultId(error), String(error))
        }
      }
    }
  }
})

function isInvalidResultId(error: unknown): boolean {
  if (!(error instanceof CodedError) || error.code !== 'invalid_result_id') return false
  return typeof error.details.segment === 'string' && typeof error.details.reason === 'string'
}
