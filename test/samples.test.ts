import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ReplyOf } from '../src/api/route.ts'
import type { search } from '../src/api/search.ts'
import { planOf } from '../src/cli/import/import-plan.ts'
import { openSource } from '../src/importers/source/open.ts'
import { sliceCodePoints } from '../src/model/text/code-points.ts'
import { PLANTED_PASSAGE, SAMPLE_DOCUMENT_NAME, sampleDocument } from '../src/samples/sample-document.ts'
import { EXAMPLE, SAMPLES } from '../src/samples/samples.ts'
import { onEachEngine, PROVING } from './engines.ts'
import { importPlace } from './import-place.ts'
import { valuesOf } from './rows-of.ts'

const FOLDER = join(import.meta.dirname, '../samples')
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(path => join(folder, path))
    .filter(path => statSync(path).isFile())

/** How many records each sample contains. */
const RECORDS: Record<string, number> = {
  'Home mail': 23,
  'Work mail': 22,
  'Foldout Slack': 35,
  ChatGPT: 23,
  Notes: 16,
}

test('each sample is recognised as its format, with all its files', async () => {
  for (const { path, format } of SAMPLES) {
    await using source = await openSource(path)
    const plan = await planOf(source, undefined)
    assert.equal(plan.importer.format, format, path)
    assert.deepEqual(plan.left, [], path)
  }
})

test('the sample files are small, name only reserved domains, and do not contain the answer', () => {
  const files = filesOf(FOLDER)
  assert.ok(files.reduce((sum, path) => sum + statSync(path).size, 0) < 250 * 1024)
  const texts = [...files.filter(path => !path.endsWith('.png')).map(path => readFileSync(path, 'utf8'))]
  for (const text of [...texts, sampleDocument()]) {
    for (const [, domain = ''] of text.matchAll(/(?:@|:\/\/)([a-z0-9-]+(?:\.[a-z0-9-]+)+)/g)) {
      assert.match(domain, /(^|\.)(example|example\.(org|com|net))$/)
    }
  }
  for (const text of texts) assert.doesNotMatch(text, /overhaul|4,180/i)
})

test('the log book has about 1 MB, is always the same, and contains the passage once', () => {
  const text = sampleDocument()
  assert.equal(sampleDocument(), text)
  const bytes = Buffer.byteLength(text)
  assert.ok(bytes > 1_000_000 && bytes < 1_100_000, String(bytes))
  assert.equal(text.split(PLANTED_PASSAGE).length, 2)
  assert.equal(text.match(/overhaul/gi)?.length, 1)
  assert.ok(text.indexOf(PLANTED_PASSAGE) > 700_000)
  assert.doesNotMatch(text, /[{}]|undefined|NaN/)
  const entries = text.split('\n### ').slice(1)
  assert.equal(new Set(entries).size, entries.length)
})

let misspelt: unknown

onEachEngine(
  'the samples import without a rejection, twice, and the example query finds the passage first',
  async engine => {
    await using place = await importPlace(engine)
    const log = join(place.folder, SAMPLE_DOCUMENT_NAME)
    await writeFile(log, sampleDocument())
    const all = [...SAMPLES, { path: log, name: EXAMPLE.title, format: 'markdown' }]
    const importAll = async () => {
      const { printed } = await place.import(...all.map(({ path }) => path), '--json')
      return all.map(({ name, format }, index) => ({
        name,
        wanted: format,
        ...JSON.parse(printed[index] ?? ''),
      }))
    }
    const connections = new Map<string, string>()
    for (const sample of await importAll()) {
      const { name, connection_id, seen, added, updated, rejections } = sample
      assert.equal(sample.format, sample.wanted, name)
      const records = RECORDS[name] ?? 1
      assert.deepEqual(
        { seen, added, updated, rejections },
        { seen: records, added: records, updated: 0, rejections: [] },
        name,
      )
      connections.set(name, connection_id)
    }
    assert.equal(new Set(connections.values()).size, all.length)

    const idsOf = async (name: string) => {
      const page = await place.call<{ data: { id: string }[] }>(
        `/v1/streams/emails/records?limit=100&connection_id=${connections.get(name)}`,
      )
      return page.data.map(({ id }) => id)
    }
    const [home, work] = [await idsOf('Home mail'), await idsOf('Work mail')]
    assert.equal(home.filter(id => work.includes(id)).length, 1)

    // On a busy machine a search may run out of time and report that it is incomplete.
    const found = async (query: string): Promise<ReplyOf<typeof search>> => {
      const answer = await place.call<ReplyOf<typeof search>>(`/v1/search?q=${encodeURIComponent(query)}`)
      return answer.meta.recall?.complete ? answer : found(query)
    }
    for (const query of [EXAMPLE.query, EXAMPLE.question]) {
      const { data } = await found(query)
      const [best] = data
      assert.equal(best?.stream, EXAMPLE.stream)
      assert.equal(best?.connection_id, connections.get(EXAMPLE.title))
      assert.equal(best?.title, EXAMPLE.title)
      const window = best?.match_windows[0] ?? assert.fail('no window')
      const { text, text_start_chars, start_chars, end_chars } = window
      const match = sliceCodePoints(text, start_chars - text_start_chars, end_chars - text_start_chars)
      assert.equal(match, 'overhaul of the engine cost')
      assert.match(text, /14 October 2004.+\s+.*cost 4,180 crowns\. Hedda Ruusk/)
      const sources = new Set(data.map(({ connection_id }) => connection_id))
      assert.ok(sources.size >= 3, 'the question touches several sources')
    }

    // Three misspelt words are corrected, and both engines find the same.
    const { data, meta } = await found('berthx hartbour offfice')
    assert.deepEqual(valuesOf(meta.warnings, 'detail'), [
      { written: 'berthx', taken: 'berth' },
      { written: 'hartbour', taken: 'harbour' },
      { written: 'offfice', taken: 'office' },
    ])
    const shown = data.map(({ title, match_windows }) => [title, match_windows.map(({ text }) => text)])
    misspelt ??= shown
    assert.ok(shown.length > 5)
    assert.deepEqual(shown, misspelt)

    if (engine === 'postgres' && !PROVING) return
    for (const { name, connection_id, added, updated, unchanged, rejections } of await importAll()) {
      assert.deepEqual([added, updated, unchanged, rejections], [0, 0, RECORDS[name] ?? 1, []], name)
      assert.equal(connection_id, connections.get(name))
    }
  },
)
