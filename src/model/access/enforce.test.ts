import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clause, Source } from './enforce.ts'
import { visibleFields } from './enforce.ts'

const clause = (fields: string[], since: string | null, until: string | null): Clause => ({
  fields: new Set(fields),
  ...{ since, until, record_ids: null },
})

test('RS-5 where grants overlap, their fields are open together, as one object for all such records', () => {
  const clauses = [
    clause(['id', 'title'], null, 't5'),
    clause(['id', 'text'], 't3', null),
    clause(['id', 'n'], 't4', 't5'),
  ]
  const source = { clauses } as Source
  const at = (time_key: string) => visibleFields(source, { record_id: 'a', time_key })
  assert.deepEqual([at('t2'), at('t3')], [new Set(['id', 'title']), new Set(['id', 'title', 'text'])])
  assert.deepEqual([at('t4'), at('t5')], [new Set(['id', 'title', 'text', 'n']), new Set(['id', 'text'])])
  assert.equal(at('t3'), at('t31'))
  assert.notEqual(at('t3'), at('t4'))
})
