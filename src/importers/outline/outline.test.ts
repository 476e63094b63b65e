import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'

test('pages of Roam are read as outlines with links, tags and times', async context => {
  const pages = [
    {
      title: 'Bread',
      uid: 'p1',
      'create-time': 1704103200000,
      'edit-time': 1704103200000,
      children: [
        {
          string: 'Rye from [[Ada]] #food',
          uid: 'b1',
          'create-time': 1704103200000,
          'edit-time': 1704106800000,
          children: [
            {
              string: 'https://example.org\nsecond line',
              uid: 'b2',
              children: [{ string: 'deep', uid: 'b3' }],
            },
          ],
        },
        { string: '((b2))', uid: 'b4' },
      ],
    },
    { title: 'January 5th, 2024', uid: '01-05-2024', children: [{ string: 'baked', uid: 'b5' }] },
    { title: 'empty', 'edit-time': 1704103200000 },
    7,
  ]
  const folder = folderWith(context, { 'graph.json': pages })
  assert.deepEqual(await formatsOf(folder), ['roam'])
  const reading = await readingOf('roam', folder)
  const found = reading.of('roam_pages')
  const { id: _, ...bread } = found[0] ?? {}
  assert.deepEqual(bread, {
    title: 'Bread',
    text: '- Rye from [[Ada]] #food\n  - https://example.org\n    second line\n    - deep\n- ((b2))',
    is_daily: false,
    noted_at: '2024-01-01T10:00:00Z',
    updated_at: '2024-01-01T11:00:00Z',
    tags: ['food'],
    links: ['Ada'],
    urls: ['https://example.org'],
    block_count: 4,
    properties: {},
    source_id: 'p1',
  })
  assert.deepEqual(rowsOf(found.slice(1), 'title', 'text', 'is_daily', 'noted_at'), [
    ['January 5th, 2024', '- baked', true, '2024-01-05T00:00:00Z'],
    ['empty', null, false, null],
  ])
  assert.deepEqual(valuesOf(reading.rejections, 'code'), ['not_an_object'])
})

test('pages of Logseq are read, and its journal has the days of its titles', async context => {
  const block = (id: string, content: string, children: object[] = []) => ({
    id,
    format: 'markdown',
    content,
    properties: null,
    children,
  })
  const graph = {
    version: 1,
    blocks: [
      {
        id: 'p1',
        'page-name': 'bread',
        properties: { type: 'recipe' },
        children: [block('b1', 'Rye\nid:: b1\ncollapsed:: true', [block('b2', 'of [[Ada]]')])],
      },
      { id: 'p2', 'page-name': 'jan 5th, 2024', properties: null, children: [block('b3', 'baked')] },
      { id: 'p3', 'page-name': '2024_01_06', properties: null, children: [] },
    ],
  }
  const folder = folderWith(context, { 'logseq.json': graph as never })
  assert.deepEqual(await formatsOf(folder), ['logseq'])
  const found = (await readingOf('logseq', folder)).of('logseq_pages')
  assert.deepEqual(rowsOf(found, 'title', 'text', 'noted_at', 'links', 'properties'), [
    ['bread', '- Rye\n  - of [[Ada]]', null, ['Ada'], { type: 'recipe' }],
    ['jan 5th, 2024', '- baked', '2024-01-05T00:00:00Z', [], {}],
    ['2024_01_06', null, '2024-01-06T00:00:00Z', [], {}],
  ])
})

test('different versions of a page in two exports side by side are both kept', async context => {
  const page = (words: string) => [
    { title: 'Bread', uid: 'p1', 'edit-time': 1, children: [{ string: words }] },
  ]
  const folder = folderWith(context, { 'a.json': page('one'), 'b.json': page('two'), 'c.json': page('one') })
  const reading = await readingOf('roam', folder)
  assert.equal(new Set(reading.records.map(({ key }) => key)).size, 2)
})
