import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Source } from '../../model/access/enforce.ts'
import { type Packed, ReceivedSources, SentSources } from './sent-sources.ts'

function source(no: number): Source {
  const stream = { name: `stream ${no}` } as Source['stream']
  const clauses = [
    { fields: new Set(['subject', `field ${no}`]), since: null, until: null, record_ids: null },
  ]
  const declared = {} as Source['declared']
  const name = `cin_${no}`
  return {
    connection_id: name,
    source_id: 'x',
    declared,
    connector_key: 'x',
    display_name: name,
    stream,
    clauses,
  }
}

function pair() {
  const [sent, received] = [new SentSources(), new ReceivedSources()]
  const packed = (args: unknown): Packed => structuredClone(sent.pack(args))
  return { packed, received }
}

test('a source is sent to a thread once, and is the same object there in each call', () => {
  const { packed, received } = pair()
  const [a, b] = [source(1), source(2)]
  const first = packed({ selected: [{ source: a, conditions: [] }], readable: [a, b], skip: 3 })
  assert.equal(first.added.length, 2)
  const got = received.unpack(first) as { selected: { source: Source }[]; readable: Source[] }
  assert.deepEqual(got, { selected: [{ source: a, conditions: [] }], readable: [a, b], skip: 3 })
  assert.equal(got.selected[0]?.source, got.readable[0])
  const second = packed({ owner_id: 'own_1', source: b })
  assert.deepEqual(second.added, [])
  assert.equal((received.unpack(second) as { source: Source }).source, got.readable[1])
})

test('what is narrower, or was granted later, is another source', () => {
  const { packed, received } = pair()
  const wide = source(1)
  const narrow = { ...wide, clauses: [] }
  received.unpack(packed({ source: wide }))
  assert.deepEqual(received.unpack(packed({ source: narrow })), { source: narrow })
  assert.deepEqual(received.unpack(packed({ source: wide })), { source: wide })
})

test('after many sources those of earlier calls are forgotten, and sent again when they are asked for', () => {
  const { packed, received } = pair()
  const all = Array.from({ length: 700 }, (_, no) => source(no))
  let sent = 0
  for (let round = 0; round < 2; round++)
    for (let first = 0; first < all.length; first += 100) {
      const args = { sources: all.slice(first, first + 100) }
      const each = packed(args)
      sent += each.added.length
      assert.deepEqual(received.unpack(each), args)
    }
  assert.ok(sent > all.length)
  const everything = { sources: all }
  assert.deepEqual(received.unpack(packed(everything)), everything)
})

test('other values arrive as they were sent', () => {
  const { packed, received } = pair()
  const args = {
    vector: new Float32Array([1, 2]),
    set: new Set(['a']),
    none: null,
    list: [1, 2],
    deep: [{ a: [null] }],
  }
  assert.deepEqual(received.unpack(packed(args)), args)
})
