import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { importInto } from '../src/cli/import/import-into.ts'
import { planOf } from '../src/cli/import/import-plan.ts'
import { IMPORTERS } from '../src/importers/importers.ts'
import { openSource } from '../src/importers/source/open.ts'
import { onOneEngine } from './engines.ts'
import type { MadeExport } from './exports/made-export.ts'
import { MADE_EXPORTS, writeExport } from './exports/made-exports.ts'
import { importPlace } from './import-place.ts'
import { valuesOf } from './rows-of.ts'

const ITEMS = 5
const MORE = 3

test('there is a generated export of every format', () => {
  const made = new Set(MADE_EXPORTS.map(({ format }) => format))
  assert.deepEqual([...made].sort(), IMPORTERS.map(({ format }) => format).sort())
})

onOneEngine(
  'for every format, a second import changes nothing, and a larger export adds exactly what is new',
  async engine => {
    await using place = await importPlace(engine)
    const recordsOf = ({ records = items => items }: MadeExport, items: number) => records(items)
    const imported = async (items: number) => {
      const outcomes = []
      for (const made of MADE_EXPORTS) {
        await using source = await openSource(await writeExport(place.folder, made, items))
        const plan = await planOf(source, undefined)
        const target = { connection_id: null, name: null }
        const watch = { begun() {}, progress() {} }
        const { begun, counts } = await importInto(await place.server(), source, plan, target, watch)
        const { added, updated, unchanged, rejected } = counts
        outcomes.push({
          connection_id: begun.connection_id,
          figures: { format: plan.importer.format, added, updated, unchanged, rejected },
        })
      }
      return outcomes
    }
    const expected = (figures: (made: MadeExport) => { added: number; updated: number; unchanged: number }) =>
      MADE_EXPORTS.map(made => ({ format: made.format, ...figures(made), rejected: made.rejected ?? 0 }))

    const first = await imported(ITEMS)
    assert.deepEqual(
      valuesOf(first, 'figures'),
      expected(made => ({ added: recordsOf(made, ITEMS), updated: 0, unchanged: 0 })),
    )
    const second = await imported(ITEMS)
    assert.deepEqual(
      valuesOf(second, 'figures'),
      expected(made => ({ added: 0, updated: 0, unchanged: recordsOf(made, ITEMS) })),
    )
    const grown = await imported(ITEMS + MORE)
    assert.deepEqual(
      valuesOf(grown, 'figures'),
      expected(made => {
        const before = recordsOf(made, ITEMS)
        const updated = made.updates ?? 0
        return { added: recordsOf(made, ITEMS + MORE) - before, updated, unchanged: before - updated }
      }),
    )
    const connections = (run: typeof first) => run.map(({ connection_id }) => connection_id)
    assert.deepEqual(connections(second), connections(first))
    assert.deepEqual(connections(grown), connections(first))
  },
)

onOneEngine('a later import corrects records of a store that an earlier version filled', async engine => {
  await using place = await importPlace(engine)
  const server = await place.server()
  const file = join(place.folder, 'Streaming_History_Audio_2024.json')
  const play = { ts: '2024-01-01T10:00:00Z', ms_played: 1500, master_metadata_track_name: 'Song' }
  const target = { connection_id: null, name: null }
  const watch = { begun() {}, progress() {} }
  const imported = async (platform: string, declaration_version: string | null) => {
    await writeFile(file, JSON.stringify([{ ...play, platform }]))
    await using source = await openSource(file)
    const plan = await planOf(source, 'spotify')
    const { declaration } = plan.finding
    const streams = declaration.streams.map(each => ({ ...each, semantics: 'append_only' as const }))
    const before = { ...declaration, streams, declaration_version: declaration_version ?? '' }
    const finding = { ...plan.finding, ...(declaration_version !== null && { declaration: before }) }
    const { counts } = await importInto(server, source, { ...plan, finding }, target, watch)
    const { added, updated, unchanged } = counts
    return { added, updated, unchanged }
  }
  assert.deepEqual(await imported('ios', 'before'), { added: 1, updated: 0, unchanged: 0 })
  assert.deepEqual(await imported('android', null), { added: 0, updated: 1, unchanged: 0 })
  assert.deepEqual(await imported('android', null), { added: 0, updated: 0, unchanged: 1 })
})
