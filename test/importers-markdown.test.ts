import assert from 'node:assert/strict'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { frontMatterOf } from '../src/importers/markdown/note.ts'
import { openSource } from '../src/importers/source/open.ts'
import type { JsonObject } from '../src/model/json.ts'
import { folderWith, foundAs, lookalikeOf, readingOf, zipWith } from './imported-folder.ts'
import { processorTime } from './processor-time.ts'
import { rowsOf } from './rows-of.ts'

const VAULT = {
  '.obsidian/app.json': '{}',
  '.obsidian/plugins/notes.md': '# Not a note',
  'Daily/2024-03-01.md':
    '\ufeff---\r\ntags: [Journal, "#work"]\r\naliases: First of March\r\n---\r\n\r\nMet [[Ada Lovelace|Ada]] about #plans/summer.\r\n',
  'People/Ada Lovelace.md':
    '---\ntitle: Ada, Countess\ncreated: 2023-12-10T09:30:00+01:00\nupdated: 2024-01-02\nauthor: "[[Me]]"\nup: "[[People]]"\n---\n' +
    '![[ada.png]] and [paper](../files/notes%20on%20engines.pdf "1843"), [web](https://example.org/a_(b)).\n\n' +
    '```\n#notatag [[Not a link]]\n```\n`[[nor this]]` ![[missing.jpg]]\n',
  'Recipe.md': '\n# Bread **and** butter\n\nBake it.\n',
  'Template.md': '---\ndate: {{date}}\n  x: [\n---\nText\n',
  'Rule.md': '---\nnothing but a line\n---\nText',
  'old.md': Buffer.from('Caf\xe9 au lait', 'latin1'),
  'files/ada.png': 'PNG',
  'files/notes on engines.pdf': '%PDF',
}

test('notes in a vault have titles, tags, links, dates and attachments', async context => {
  const { of, blobs, finding, rejections } = await readingOf('markdown', folderWith(context, VAULT))
  assert.equal(finding.items, 6)
  assert.deepEqual(rejections, [])
  const note = (path: string) => of('notes').find(each => each.path === path) ?? assert.fail(path)

  const daily = note('Daily/2024-03-01.md')
  assert.equal(daily.text, 'Met [[Ada Lovelace|Ada]] about #plans/summer.\n', 'no mark, no carriage returns')
  assert.deepEqual(daily.tags, ['Journal', 'work', 'plans/summer'])
  assert.deepEqual(daily.aliases, ['First of March'])
  assert.deepEqual([daily.title, daily.folder], ['2024-03-01', 'Daily'])
  assert.deepEqual(
    [daily.noted_at, daily.noted_at_local, daily.date_from],
    ['2024-03-01T00:00:00Z', '2024-03-01', 'file name'],
  )

  const ada = note('People/Ada Lovelace.md')
  assert.deepEqual(daily.linked_ids, [ada.id])
  assert.equal(ada.title, 'Ada, Countess')
  assert.deepEqual([ada.noted_at, ada.noted_at_local], ['2023-12-10T08:30:00Z', '2023-12-10T09:30:00+01:00'])
  assert.deepEqual([ada.updated_at, ada.author], ['2024-01-02T00:00:00Z', 'Me'])
  assert.deepEqual([ada.tags, ada.links, ada.urls], [[], ['Me', 'People'], ['https://example.org/a_(b)']])
  assert.deepEqual(ada.missing_attachments, ['missing.jpg'])
  assert.deepEqual(
    (ada.attachments as { name: string; mime_type: string; size_bytes: number }[]).map(each => [
      each.name,
      each.mime_type,
      each.size_bytes,
    ]),
    [
      ['ada.png', 'image/png', 3],
      ['notes on engines.pdf', 'application/pdf', 4],
    ],
  )
  assert.equal(blobs.length, 2)

  assert.equal(note('Recipe.md').title, 'Bread and butter')
  assert.equal(note('old.md').text, 'Café au lait')
  assert.equal(note('Rule.md').text, VAULT['Rule.md'])
  const template = note('Template.md')
  assert.equal(template.text, VAULT['Template.md'], 'properties that cannot be read stay in the text')
  assert.match(String(template.properties_problem), /not YAML/)
})

test('a note keeps its id in a zip of the vault, and a Notion page when it is moved', async context => {
  const inFolder = await readingOf(
    'markdown',
    folderWith(context, { 'a/.obsidian/x': '', 'a/b/One.md': 'x' }),
  )
  const inZip = await readingOf('markdown', zipWith(context, { 'Vault/b/One.md': 'x' }))
  assert.equal(inFolder.of('notes')[0]?.id, inZip.of('notes')[0]?.id)

  const hex = '0123456789abcdef0123456789abcdef'
  const before = await readingOf('markdown', zipWith(context, { [`Plans ${hex}.md`]: 'x', 'y.md': '' }))
  const after = await readingOf(
    'markdown',
    zipWith(context, { [`Work ${hex.replace('0', '1')}/New plans ${hex}.md`]: 'x', 'y.md': '' }),
  )
  const [old] = before.of('notes')
  const moved = after.of('notes').find(note => note.source_id === hex)
  assert.equal(moved?.id, old?.id)
  assert.deepEqual([old?.title, moved?.title, moved?.folder], ['Plans', 'New plans', 'Work'])
})

test("a file's time is used only if it is when the note was written", async context => {
  const names = Array.from({ length: 9 }, (_, index) => `copied ${index}.md`)
  const folder = folderWith(context, Object.fromEntries([...names, 'edited.md'].map(name => [name, 'x'])))
  const edited = new Date('2024-05-06T07:08:09Z')
  utimesSync(join(folder, 'edited.md'), edited, edited)
  const notes = (await readingOf('markdown', folder)).of('notes')
  assert.deepEqual(
    notes.map(note => note.noted_at),
    [...names.map(() => null), '2024-05-06T07:08:09.000Z'],
  )
})

test('a time in the properties is one of the clock of the owner, unless it has a zone; a day stays a day', async context => {
  const folder = folderWith(context, {
    'a.md': '---\ncreated: 2024-07-03 00:30\nupdated: 2024-07-04T00:30:00\n---\nHeron',
    'b.md': '---\ncreated: 2024-07-03T00:30:00Z\nupdated: 2024-07-04\n---\nHeron',
  })
  const notes = (await readingOf('markdown', folder, 'Europe/Berlin')).of('notes')
  assert.deepEqual(rowsOf(notes, 'noted_at', 'noted_at_local', 'updated_at'), [
    ['2024-07-02T22:30:00Z', '2024-07-03T00:30:00', '2024-07-03T22:30:00Z'],
    ['2024-07-03T00:30:00Z', '2024-07-03T00:30:00+00:00', '2024-07-04T00:00:00Z'],
  ])
})

test('a Logseq journal has the date in its name', async context => {
  const folder = folderWith(context, { 'journals/2024_03_01.md': '- baked', 'pages/Bread.md': '- rye' })
  const notes = (await readingOf('markdown', folder)).of('notes')
  assert.deepEqual([notes[0]?.noted_at, notes[0]?.date_from], ['2024-03-01T00:00:00Z', 'file name'])
})

test('a note that is not text is rejected; a folder of such files is refused with the reason', async context => {
  const { of, rejections } = await readingOf(
    'markdown',
    folderWith(context, { 'a.md': 'Text', 'b.md': Buffer.alloc(9) }),
  )
  assert.equal(of('notes').length, 1)
  assert.deepEqual(rowsOf(rejections, 'place', 'code'), [['b.md', 'not_text']])
  assert.match(
    (await lookalikeOf('markdown', folderWith(context, { 'b.md': Buffer.alloc(9) }))) ?? '',
    /b\.md is named like a note/,
  )
})

test('properties with exponentially growing aliases are refused', async context => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'
      .split('')
      .map(
        (name, index) =>
          `${name}: &${name} [${'abcdefgh'[index]},*${'abcdefgh'[index]},*${'abcdefgh'[index]},*${'abcdefgh'[index]},*${'abcdefgh'[index]},*${'abcdefgh'[index]},*${'abcdefgh'[index]},*${'abcdefgh'[index]}]`,
      ),
  ].join('\n')
  const { of } = await readingOf('markdown', folderWith(context, { 'a.md': `---\n${bomb}\n---\nText` }))
  assert.match(String(of('notes')[0]?.properties_problem), /alias/)
})

test('notes crafted to be slow are read in linear time', async context => {
  const spent = processorTime()
  const hard = ['[', '`', '``a', '![[', '#', '# ', '~~~\n', '[](', 'http://', '---\n'].map(text =>
    text.repeat(100_000),
  )
  const files = Object.fromEntries(hard.map((text, index) => [`${index}.md`, `x ${text}`]))
  assert.equal((await readingOf('markdown', folderWith(context, files))).of('notes').length, hard.length)
  assert.ok(spent() < 10_000)
})

test('properties of any kind are read in bounded time; those that are too long stay in the text', async context => {
  const hard = ['&a ', '[', 'a: ]\n', '- ', 'a: ', '? ', '}\n', '!a ', '{a: ']
  const files = Object.fromEntries(
    hard.flatMap((text, index) =>
      [15_000, 250_000].map(length => [
        `${index} ${length}.md`,
        `---\n${text.repeat(length / text.length)}\n---\nText`,
      ]),
    ),
  )
  await using source = await openSource(folderWith(context, files))
  const spent = processorTime()
  const finding = await foundAs('markdown', source)
  assert.ok(finding !== null && 'read' in finding)
  const notes: JsonObject[] = []
  for await (const event of finding.read(null)) if (event.kind === 'record') notes.push(event.data)
  const seconds = spent() / 1_000
  assert.ok(seconds < 30, `${seconds.toFixed(1)} s`)
  assert.equal(notes.length, hard.length * 2)
  for (const { path, properties_problem, text } of notes) {
    if (!String(path).endsWith('250000.md')) continue
    assert.equal(properties_problem, 'The properties are longer than 16,384 characters.')
    assert.equal(text, files[String(path)])
  }
})

test('properties that are nested too deeply are told in the same words, wherever the parser gives up', () => {
  for (const opening of ['{a: ', '? ', '[']) {
    const { problem } = frontMatterOf(`---\n${opening.repeat(3_900)}\n---\n`)
    assert.equal(problem, 'The properties are nested too deeply.', opening)
  }
})

test('a page of Notion has the properties below its title, and its day, also from its name', async context => {
  const id = (n: number) => `${n}bb52ee2b58184a7c1d76b0620d99b${n}`.padStart(32, 'a')
  const facts =
    'Created time: January 5, 2026 10:00 AM\nTags: rye, oven\nPeriod: January 7, 2026 → January 9, 2026\n'
  const reading = await readingOf(
    'markdown',
    folderWith(context, {
      [`Bread ${id(1)}.md`]: `# Bread\n\n${facts}\nText: not a property\n`,
      [`@April 1, 2025 ${id(2)}.md`]: '# @April 1, 2025\n\nRan: No\n',
      'Bread.md': `# Bread\n\n${facts}\n`,
    }),
  )
  const of = (path: RegExp) => reading.of('notes').find(note => path.test(String(note.path)))
  const bread = of(/^Bread /)
  assert.deepEqual(
    [bread?.noted_at, bread?.date_from, bread?.tags],
    ['2026-01-05T10:00:00Z', 'properties', ['rye', 'oven']],
  )
  assert.deepEqual(Object.keys(bread?.properties as object), ['Created time', 'Tags', 'Period'])
  assert.match(String(bread?.text), /^# Bread\n\nCreated time/)
  assert.deepEqual(rowsOf([of(/^@/) ?? {}], 'noted_at', 'date_from'), [['2025-04-01T00:00:00Z', 'file name']])
  assert.deepEqual(of(/^Bread\.md/)?.properties, {})
})
