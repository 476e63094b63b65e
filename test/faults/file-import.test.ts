import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fileImports } from '../../src/cli/import/file-imports.ts'
import type { OwnServer } from '../../src/cli/own-server.ts'

test('an uploaded file that cannot be removed is reported', { timeout: 60_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-test-'))
  const uploads = join(directory, 'uploads')
  const reported: unknown[] = []
  const server = {
    timeZone: { name: 'UTC' },
    async call() {
      await rename(uploads, join(directory, 'elsewhere'))
      await writeFile(uploads, 'a file in place of the folder')
      throw new Error('The import failed.')
    },
  } as unknown as OwnServer
  const imports = fileImports(server, directory, error => reported.push(error))
  const files = async function* () {
    yield { path: 'note.md', bytes: bytesOf('# A note\n\nwith a text.\n') }
  }
  const upload_id = (await imports.receive(files())) ?? assert.fail()
  await assert.rejects(imports.start(upload_id, null), /The import failed/)
  while (reported.length < 2) await setImmediate()
  assert.match(String(reported[1]), /ENOTDIR/)
  await rm(directory, { recursive: true })
})

test('an upload whose import is started twice is imported once, and kept until that has ended', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'footnote-test-'))
  const begin = Promise.withResolvers<void>()
  const called: string[] = []
  const reported: unknown[] = []
  const server = {
    timeZone: { name: 'UTC' },
    async call(contract: { path: string }) {
      called.push(contract.path)
      await begin.promise
      throw new Error('The import failed.')
    },
  } as unknown as OwnServer
  const imports = fileImports(server, directory, error => reported.push(error))
  const files = async function* () {
    yield { path: 'vault/note.md', bytes: bytesOf('# A note') }
    yield { path: 'vault/other.md', bytes: bytesOf('# Another note') }
  }
  const upload_id = (await imports.receive(files())) ?? assert.fail()
  const failure = /The import failed/
  const both = [0, 1].map(() => assert.rejects(imports.start(upload_id, null), failure))
  await assert.rejects(imports.drop(upload_id), /its import has begun/)
  const past = new Date(Date.now() - 2 * 86_400_000)
  await utimes(join(directory, 'uploads', upload_id), past, past)
  await imports.receive(files())
  assert.equal((await imports.preview(upload_id)).counts.added, 2, 'its files are still there')
  begin.resolve()
  await Promise.all(both)
  while (existsSync(join(directory, 'uploads', upload_id))) await setImmediate()
  assert.equal(called.length, 1)
  assert.equal(reported.length, 1)
  await assert.rejects(imports.start(upload_id, null), /no longer here/)
  await rm(directory, { recursive: true })
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
