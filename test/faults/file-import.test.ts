import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
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

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
