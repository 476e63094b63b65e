import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSource } from './open.ts'
import { countedSource } from './source.ts'

test('every byte is counted each time it is read, from where reading starts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'footnote-counted-'))
  try {
    await writeFile(join(folder, 'one.txt'), 'a'.repeat(200_000))
    let counted = 0
    await using source = countedSource(await openSource(folder), bytes => {
      counted += bytes
    })
    const [file] = source.files
    assert.ok(file)
    const read = async (start?: number) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of file.open(start)) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    }
    assert.equal((await read()).length, 200_000)
    assert.equal(counted, 200_000)
    assert.equal((await read(150_000)).length, 50_000)
    assert.equal(counted, 250_000)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
