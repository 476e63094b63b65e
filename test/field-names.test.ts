import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinNames, names } from '../src/api/parameter.ts'
import { onEitherEngine, TestServer } from './engines.ts'
import { SELECTABLE, source } from './mailbox.ts'

const ODD = ['last, first', ',', 'a\\b', '\\', '\\,', '😀', 'plain', 'ends with \\']

test('lists of names with commas, backslashes and any script parse back to the same names', () => {
  const read = (text: string) => names().read([['fields', text]], 'fields', [])
  for (const one of ODD)
    for (const other of ODD) {
      assert.deepEqual(read(joinNames([one, other])), [...new Set([one, other])], `${one} and ${other}`)
    }
  assert.deepEqual(read('a,b'), ['a', 'b'])
  assert.deepEqual(read('a\\b'), ['a\\b'], 'a backslash before anything else is itself')
  for (const wrong of ['', 'a,', ',a', 'a,,b']) assert.throws(() => read(wrong), /separated by commas/)
})

onEitherEngine('AN-62 a field whose name has a comma can be selected', async engine => {
  await using server = await TestServer.start(engine)
  const properties = Object.fromEntries(['id', ...ODD].map(name => [name, { type: 'string' }]))
  const connection = await server.connect({
    ...source('odd'),
    streams: [{ ...SELECTABLE, name: 'odd', schema: { type: 'object', properties }, primary_key: ['id'] }],
  } as never)
  const data = Object.fromEntries(['id', ...ODD].map(name => [name, `value of ${name}`]))
  await server.ingest('odd', connection, [{ data: { ...data, id: 'x' } }])
  for (const field of ODD) {
    const query = `fields=${encodeURIComponent(joinNames(['id', field]))}`
    for (const path of [`/v1/streams/odd/records/x?${query}`, `/v1/streams/odd/records?${query}`]) {
      const { body } = await server.json(path)
      const shown = (body.data[0] ?? body).data ?? body.data
      assert.deepEqual(shown, { id: 'x', [field]: `value of ${field}` }, path)
    }
  }
})
