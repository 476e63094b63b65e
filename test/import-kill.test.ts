import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { count, onEachEngine, PROVING } from './engines.ts'
import { record } from './figures.ts'
import { importPlace } from './import-place.ts'

const KILLED = join(import.meta.dirname, 'import-killed.ts')
const MESSAGES = count(1_300, 40_000)
/** A run is killed after this many records. A batch has 500, so the first batch is stored by then. */
const KILLS = PROVING ? [1_020, MESSAGES / 2] : [1_020]

/** Messages, some of which have attachments, are duplicates, are broken or have a long text. */
function message(n: number): string {
  const separator = `From a@example.org Mon Jan  5 10:00:00 2026\n`
  if (n % 701 === 0)
    return `${separator}X-Mozilla-Status: 0008\nFrom: a@example.org\nSubject: deleted ${n}\n\nx\n\n`
  const same = n % 503 === 0 ? n - 1 : n
  const head =
    `${separator}From: a@example.org\nMessage-ID: <m${same}@example.org>\nSubject: Letter ${same}\n` +
    `Date: Mon, 5 Jan 2026 10:00:${String(same % 60).padStart(2, '0')} +0000\n`
  if (n % 97 === 0) {
    const bytes = Buffer.from(`attachment of ${n}`).toString('base64')
    return `${head}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nsee it\n--b\nContent-Type: image/png; name=x.png\nContent-Transfer-Encoding: base64\n\n${bytes}\n--b--\n\n`
  }
  return `${head}\n${n === 1_234 ? 'long '.repeat(20_000) : `Body ${same}.`}\n\n`
}

async function writeMailbox(path: string): Promise<void> {
  const file = createWriteStream(path)
  for (let n = 1; n <= MESSAGES; n++) file.write(message(n))
  file.end()
  await once(file, 'close')
}

type Place = Awaited<ReturnType<typeof importPlace>>
interface Page {
  data: { id: string; data: object }[]
  next_cursor?: string
}

async function stored(place: Place): Promise<Map<string, object>> {
  const records = new Map<string, object>()
  let cursor: string | undefined
  do {
    const page: Page = await place.call<Page>(
      `/v1/streams/emails/records?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    )
    for (const { id, data } of page.data) records.set(id, data)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return records
}

onEachEngine('a killed import resumes, and ends as if it had not been killed', async engine => {
  await using whole = await importPlace(engine)
  const path = join(whole.folder, 'inbox.mbox')
  await writeMailbox(path)
  const expected = (await whole.import(path, '--json')).json

  await using place = await importPlace(engine)
  for (const records of KILLS) {
    const child = spawn(process.execPath, [KILLED, String(records), 'import', path, ...place.flags], {
      stdio: 'ignore',
    })
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
  }
  const { notes, json } = await place.import(path, '--json')
  assert.match(notes.join('\n'), /Resuming an interrupted import after [\d,]+ items/)
  assert.deepEqual(
    [json.seen, json.added + json.unchanged, json.updated, json.rejected, json.rejections],
    [expected.seen, expected.added + expected.unchanged, 0, expected.rejected, expected.rejections],
  )
  assert.deepEqual(await stored(place), await stored(whole))
  const again = (await place.import(path, '--json')).json
  assert.deepEqual([again.seen, again.added, again.updated], [expected.seen, 0, 0])
  record('import of mail killed', engine, {
    kills: KILLS.length,
    messages: expected.seen,
    'lost or doubled': 0,
  })
})
