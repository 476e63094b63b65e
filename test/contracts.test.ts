import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../src/api/aggregate.ts'
import { NARROWING_NAMES } from '../src/api/list.ts'
import type { Parameter } from '../src/api/parameter.ts'
import { fieldWindow, listRecords, readRecord } from '../src/api/records.ts'
import { addressOf } from '../src/api/route.ts'
import { search } from '../src/api/search.ts'
import { CodedError } from '../src/model/errors.ts'
import { bindingOf } from '../src/resource-server/request/responses.ts'
import { parameterReader } from '../src/resource-server/resource-part.ts'
import { ROUTES } from '../src/resource-server/routes.ts'

const PAGED = ROUTES.filter(({ parameters }) => 'limit' in parameters && 'cursor' in parameters)

test('a page cursor is bound to the route, the access, the path and each parameter that the contract binds', () => {
  assert.ok(PAGED.length >= 6)
  for (const route of PAGED) {
    const given = (changes: object) => ({
      env: { cursors: null as never },
      route,
      path: { stream: 'messages' },
      parameters: {},
      accessName: 'owner:o1',
      now: new Date(0),
      warnings: [],
      ...changes,
    })
    const binding = bindingOf(given({}))
    assert.equal(bindingOf(given({ now: new Date(1), warnings: [{}] })), binding)
    assert.notEqual(bindingOf(given({ accessName: 'client:o1:g1' })), binding)
    assert.notEqual(bindingOf(given({ path: { stream: 'notes' } })), binding)
    for (const [name, { bound }] of Object.entries<Parameter<unknown>>(route.parameters)) {
      const changed = bindingOf(given({ parameters: { [name]: 'x' } }))
      assert.equal(changed !== binding, bound, `${route.path} ${name}`)
    }
  }
  const bindings = PAGED.map(route => route.path)
  assert.deepEqual(bindings, [...new Set(bindings)])
})

test('pages of one list may differ only in what they show', () => {
  const free = (parameters: object) =>
    Object.entries<Parameter<unknown>>(parameters as never).flatMap(([name, { bound }]) =>
      bound ? [] : [name],
    )
  assert.deepEqual(free(listRecords.parameters), ['limit', 'cursor', 'fields', 'count', 'max_field_chars'])
  assert.deepEqual(free(search.parameters), [
    'limit',
    'cursor',
    'windows',
    'places',
    'window_chars',
    'view',
    'explain',
    'cursors',
  ])
  for (const route of PAGED) {
    assert.deepEqual(free(route.parameters).slice(0, 2), ['limit', 'cursor'], route.path)
  }
})

test('parameters are checked, typed and defaulted by their contract', () => {
  const read = parameterReader(listRecords)
  const { parameters, warnings } = read(
    'limit=1000&fields=a,b,a&filter[size][gte]=3&filter[a]=b&where[c][in]=d',
    true,
  )
  assert.deepEqual(parameters, {
    limit: 100,
    cursor: undefined,
    order: 'desc',
    fields: ['a', 'b'],
    where: [{ field: 'c', operator: 'in', value: 'd', param: 'where[c][in]' }],
    filter: [
      { field: 'size', operator: 'gte', value: '3', param: 'filter[size][gte]' },
      { field: 'a', operator: 'eq', value: 'b', param: 'filter[a]' },
    ],
    ...Object.fromEntries(
      [...NARROWING_NAMES, 'time_zone', 'connection_id', 'connector'].map(name => [name, undefined]),
    ),
    changes_since: undefined,
    count: undefined,
    max_field_chars: undefined,
  })
  assert.deepEqual(
    warnings.map(({ code, param }) => [code, param]),
    [['limit_clamped', 'limit']],
  )
  assert.equal(read('max_field_chars=99999', true).parameters.max_field_chars, 16_384)
  const found = parameterReader(search)(
    'q=x&streams=b&streams=a&streams=b&since=2026-01-02',
    false,
  ).parameters
  assert.deepEqual([found.streams, found.since], [['b', 'a'], '2026-01-02T00:00:00.000000000Z'])
})

test('a value that a contract does not allow is refused, naming the parameter', () => {
  const refused: [Parameters<typeof parameterReader>[0], string, string, string?][] = [
    [listRecords, 'limit=0', 'limit'],
    [listRecords, 'limit=1.5', 'limit'],
    [listRecords, 'order=up', 'order'],
    [listRecords, 'fields=a,,b', 'fields'],
    [listRecords, 'filter=1', 'filter'],
    [listRecords, 'filter[]=1', 'filter[]'],
    [listRecords, 'filter[a][like]=1', 'filter[a][like]'],
    [listRecords, 'filter[a][in]=1', 'filter[a][in]'],
    [listRecords, 'where=1', 'where'],
    [listRecords, 'where[a][like]=1', 'where[a][like]'],
    [search, 'q=x&filter[a]=1', 'filter[a]'],
    [listRecords, 'limit=1&limit=2', 'limit'],
    [listRecords, 'offset=1', 'offset'],
    [listRecords, '__proto__=1', '__proto__'],
    [listRecords, 'connection_id=%00', 'connection_id'],
    [listRecords, 'changes_since=beginning&order=desc', 'order'],
    [listRecords, 'changes_since=beginning&filter[a]=b', 'filter'],
    [search, '', 'q'],
    [search, 'q=', 'q'],
    [search, `q=${'x'.repeat(4_001)}`, 'q'],
    [search, 'q=x&since=yesterday', 'since'],
    [search, 'q=x&record=r&windows=1', 'windows'],
    [search, 'q=x&window_chars=39', 'window_chars'],
    [aggregate, 'metric=median', 'metric'],
    [fieldWindow, 'field=body&limit_chars=16385', 'limit_chars', 'invalid_window'],
    [fieldWindow, 'field=body&q=', 'q', 'invalid_window'],
    [fieldWindow, 'limit_chars=1', 'field'],
  ]
  for (const [route, query, param, code = 'invalid_request'] of refused) {
    assert.throws(
      () => parameterReader(route)(query, true),
      (error: unknown) => error instanceof CodedError && error.code === code && error.details.param === param,
      `${route.path}?${query}`,
    )
  }
})

test('URLs can contain every valid name, and names that cannot be in a path are refused', () => {
  assert.equal(
    addressOf(readRecord, { stream: 'a b', record_id: 'x/y?#%' }, { connection_id: null, fields: 'a,b' }),
    '/v1/streams/a%20b/records/x%2Fy%3F%23%25?fields=a%2Cb',
  )
  const where = [
    { field: 'size', operator: 'gte', value: '3' },
    { field: 'from', operator: 'eq', value: 'a&b' },
  ] as const
  const address = addressOf(search, {}, { q: 'x', streams: ['a', 'b'], limit: 2, where })
  const { parameters } = parameterReader(search)(address.split('?')[1] ?? '', false)
  assert.deepEqual(
    [parameters.q, parameters.streams, parameters.limit, parameters.where],
    [
      'x',
      ['a', 'b'],
      2,
      [
        { ...where[0], param: 'where[size][gte]' },
        { ...where[1], param: 'where[from]' },
      ],
    ],
  )
  for (const record_id of ['.', '..', 'a\0b']) {
    assert.throws(() => addressOf(readRecord, { stream: 's', record_id }), { code: 'not_found' })
  }
})
