import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runFiles } from './run-files.ts'

test('an error that no test waits for fails the run, although all tests pass', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'footnote-test-'))
  const tests = async (name: string, body: string) => {
    const file = join(folder, `${name}.test.ts`)
    const passes = `import { test } from 'node:test'\ntest('${name}', async () => { ${body} })\n`
    await writeFile(file, passes)
    return runFiles([file], () => {})
  }
  const fine = await tests('fine', '')
  assert.equal(fine.passed, true, fine.said)
  for (const lost of ['Promise.reject(new Error("lost"))', 'setTimeout(() => { throw new Error("lost") })']) {
    const { passed, said } = await tests('lost', `${lost}; await new Promise(r => setTimeout(r, 20))`)
    assert.match(said, /ℹ fail 0$/m)
    assert.match(said, /the error "Error: lost"/)
    assert.equal(passed, false)
  }
  await rm(folder, { recursive: true })
})
