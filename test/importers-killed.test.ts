import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Engine, onOneEngine, PROVING } from './engines.ts'
import type { MadeExport } from './exports/made-export.ts'
import { MADE_EXPORTS, writeExport } from './exports/made-exports.ts'
import { record } from './figures.ts'
import { importPlace } from './import-place.ts'

const KILLED = join(import.meta.dirname, 'import-killed.ts')
const ITEMS = 1_060
/** A batch has 500 records, so the first one is stored by then. A second run is killed soon after it has resumed. */
const KILLS = PROVING ? [1_020, 200] : [1_020]
const FEW = ['whatsapp', 'apple-health']

type Place = Awaited<ReturnType<typeof importPlace>>
interface Page {
  data: { id: string; data: object }[]
  next_cursor?: string
}

/** All stored records, by stream and id. */
async function stored(place: Place): Promise<Map<string, object>> {
  const records = new Map<string, object>()
  const { data: streams } = await place.call<{ data: { name: string }[] }>('/v1/streams')
  for (const { name } of streams) {
    let cursor: string | undefined
    do {
      const more = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = await place.call<Page>(`/v1/streams/${name}/records?limit=100${more}`)
      for (const { id, data } of page.data) records.set(`${name} ${id}`, data)
      cursor = page.next_cursor
    } while (cursor !== undefined)
  }
  return records
}

async function killedAfter(records: number, path: string, flags: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [KILLED, String(records), 'import', path, ...flags], {
    stdio: 'ignore',
  })
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
}

async function assertSameAsWithoutKill(made: MadeExport, engine: Engine): Promise<void> {
  await using whole = await importPlace(engine)
  const path = await writeExport(whole.folder, made, ITEMS)
  const expected = (await whole.import(path, '--json')).json

  await using place = await importPlace(engine)
  for (const records of KILLS) await killedAfter(records, path, place.flags)
  const { notes, json } = await place.import(path, '--json')
  assert.match(notes.join('\n'), /Resuming an interrupted import after [\d,]+ items/)
  assert.deepEqual(
    [json.seen, json.added + json.unchanged, json.updated, json.rejections],
    [expected.seen, expected.added + expected.unchanged, 0, expected.rejections],
  )
  const records = await stored(place)
  assert.deepEqual(records, await stored(whole))
  const counts = { kills: KILLS.length, records: records.size, 'lost or doubled': 0 }
  record(`import of ${nameOf(made)} killed`, engine, counts)
}

function nameOf({ format, layout }: MadeExport): string {
  return [format, layout].filter(Boolean).join(', ')
}

for (const made of MADE_EXPORTS.filter(({ format }) => PROVING || FEW.includes(format))) {
  onOneEngine(`an import that is killed ends as if it had not been killed: ${nameOf(made)}`, engine =>
    assertSameAsWithoutKill(made, engine),
  )
}
