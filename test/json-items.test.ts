import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EACH, jsonItems, jsonMembers } from '../src/importers/json-items.ts'
import { repeatCounter } from '../src/importers/record-id.ts'
import { utf8Of } from '../src/importers/utf8.ts'
import { count } from './engines.ts'
import { Random } from './random.ts'

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function itemsOf(text: string, path: string[], size: number) {
  const items = await Array.fromAsync(jsonItems(inPieces(Buffer.from(text), size), path))
  return items.map(({ text: written, problem }) => problem?.code ?? written)
}

test('the items of a JSON list are the same however the bytes are split', async () => {
  const text = ' [ {"a":"x]},\\"{[\\\\"} ,"s,\\"]", -1.5e3,null , [1,[2]],{"ü":"€😀"}]'
  const expected = ['{"a":"x]},\\"{[\\\\"}', '"s,\\"]"', '-1.5e3', 'null', '[1,[2]]', '{"ü":"€😀"}']
  for (const size of [1, 2, 3, 7, 1000]) assert.deepEqual(await itemsOf(text, [], size), expected)
})

test('a list is found below keys, whatever is beside it', async () => {
  const text =
    '{"list":3,"x":{"list":[9]},"other":[{"chats":1}],"chats":{"a":"list","list":[{"n":1},{"n":2}],"z":[5]},"y":{}}'
  for (const size of [1, 5, 1000]) {
    assert.deepEqual(await itemsOf(text, ['chats', 'list'], size), ['{"n":1}', '{"n":2}'])
    assert.deepEqual(await itemsOf(text, ['x', 'list'], size), ['9'])
    assert.deepEqual(await itemsOf(text, ['none'], size), ['no_list'])
  }
})

test('broken files end with a reason', async () => {
  assert.deepEqual(await itemsOf('[{"a":1},{"b"', [], 4), ['{"a":1}', 'file_cut_off'])
  assert.deepEqual(await itemsOf('[{"a":1}', [], 4), ['{"a":1}', 'file_cut_off'])
  assert.deepEqual(await itemsOf('{"a":1}', [], 4), ['no_list'])
  assert.deepEqual(await itemsOf('[oops, {"a":1}]', [], 4), ['oops', '{"a":1}'])
  assert.deepEqual(await itemsOf('', [], 4), ['no_list'])
})

test('text in UTF-8, UTF-16 and Windows-1252 is converted to UTF-8, wherever it is split', async () => {
  const text = `${'x'.repeat(70)}äöü – €`
  const latin = Buffer.from('plain ascii first, then caf\xe9 and na\xefve', 'latin1')
  const cases: [Buffer, string][] = [
    [Buffer.from(text), text],
    [Buffer.from(`\ufeff${text}`), text],
    [Buffer.from(`\ufeff${text}`, 'utf16le'), text],
    [latin, 'plain ascii first, then café and naïve'],
    [Buffer.from('ä'), 'ä'],
  ]
  for (const [bytes, expected] of cases) {
    for (const size of [1, 3, 4, 16, 1000]) {
      const chunks = await Array.fromAsync(utf8Of(inPieces(bytes, size)))
      assert.equal(Buffer.concat(chunks).toString('utf8'), expected, `${size}`)
    }
  }
})

test('repeats are counted exactly', () => {
  const random = new Random(7)
  const repeats = repeatCounter()
  const known = new Map<string, number>()
  for (let round = 0; round < count(20_000, 1_000_000); round++) {
    const id = `row ${random.integer(0, 9_999)}`
    const expected = known.get(id) ?? 0
    assert.equal(repeats(id), expected)
    known.set(id, expected + 1)
  }
})

test('lists inside a list are read one after the other, with what surrounds each of them', async () => {
  const text = JSON.stringify({
    about: 'x',
    chats: {
      list: [
        { name: 'Ada', id: 7, messages: [1, { a: [2] }], later: true },
        'not an object',
        { name: 'Ben', long: 'y'.repeat(70_000), messages: [], more: [9] },
        { name: 'Cem', messages: ['z'] },
      ],
    },
  })
  for (const size of [13, 100_000]) {
    const found: unknown[] = []
    const chunks = async function* () {
      for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
    }
    for await (const item of jsonItems(chunks(), ['chats', 'list', EACH, 'messages'])) {
      found.push([{ ...item.around }, item.index, item.text, item.problem])
    }
    assert.deepEqual(found, [
      [{ name: 'Ada', id: 7 }, 0, '1', null],
      [{ name: 'Ada', id: 7 }, 1, '{"a":[2]}', null],
      [{ name: 'Cem' }, 0, '"z"', null],
    ])
  }
})

test('the small members of an object are found before and after a large one', async () => {
  const chunks = async function* () {
    yield Buffer.from('{"a": {"b": 1}, "messages": [')
    for (let n = 0; n < 3000; n++) yield Buffer.from('{"text": "some words of a message"},')
    yield Buffer.from('{}], "title": "Ada", "broken": nope}')
  }
  assert.deepEqual(await jsonMembers(chunks()), { a: { b: 1 }, title: 'Ada' })
})
