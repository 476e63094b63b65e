import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { count, onEitherEngine, PROVING } from './engines.ts'
import { record } from './figures.ts'
import { assertResumes } from './resumed-import.ts'

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

async function writeMailbox(folder: string): Promise<string> {
  const path = join(folder, 'inbox.mbox')
  const file = createWriteStream(path)
  for (let n = 1; n <= MESSAGES; n++) file.write(message(n))
  file.end()
  await once(file, 'close')
  return path
}

onEitherEngine('a killed import resumes, and ends as if it had not been killed', async engine => {
  const { seen } = await assertResumes(engine, KILLS, writeMailbox)
  record('import of mail killed', engine, { kills: KILLS.length, messages: seen, 'lost or doubled': 0 })
})
