import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenedOnce } from './opened-once.ts'

test('something is opened once, when it is needed, and again only if that failed', async () => {
  let attempts = 0
  const library = new OpenedOnce(async () => {
    if (++attempts === 1) throw new Error('too many open files')
    return { attempts }
  })
  assert.equal(library.opened, null)
  await assert.rejects(library.get(), /too many open files/)
  assert.equal(library.opened, null)
  const [one, two] = await Promise.all([library.get(), library.get()])
  assert.equal(one, two)
  assert.equal(await library.opened, one)
  assert.equal(attempts, 2)
})
