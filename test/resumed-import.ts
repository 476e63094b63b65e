import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Engine } from './engines.ts'
import { importPlace } from './import-place.ts'

const KILLED = join(import.meta.dirname, 'import-killed.ts')

type Place = Awaited<ReturnType<typeof importPlace>>
interface Page {
  data: { id: string; data: object }[]
  next_cursor?: string
}

/**
 * Kills an import after each of these numbers of records, and checks that it then ends as if it had not been killed.
 * Returns how many items it saw and how many records are stored.
 */
export async function assertResumes(
  engine: Engine,
  kills: readonly number[],
  write: (folder: string) => Promise<string>,
): Promise<{ seen: number; records: number }> {
  await using whole = await importPlace(engine)
  const path = await write(whole.folder)
  const expected = (await whole.import(path, '--json')).json

  await using place = await importPlace(engine)
  for (const records of kills) {
    const args = [KILLED, String(records), 'import', path, ...place.flags]
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
  }
  const { notes, json } = await place.import(path, '--json')
  assert.match(notes.join('\n'), /Resuming an interrupted import after [\d,]+ items/)
  assert.deepEqual(
    [json.seen, json.added + json.unchanged, json.updated, json.rejected, json.rejections],
    [expected.seen, expected.added + expected.unchanged, 0, expected.rejected, expected.rejections],
  )
  const records = await storedIn(place)
  assert.deepEqual(records, await storedIn(whole))
  const again = (await place.import(path, '--json')).json
  assert.deepEqual([again.seen, again.added, again.updated], [expected.seen, 0, 0])
  return { seen: expected.seen, records: records.size }
}

/** All stored records, by stream and id. */
async function storedIn(place: Place): Promise<Map<string, object>> {
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
