import assert from 'node:assert/strict'
import { AuthorizationWorld, Visitor } from './authorization-world.ts'
import { onEachEngine } from './engines.ts'

const FORM = 'application/x-www-form-urlencoded'
const KIB = 1_024

onEachEngine(
  'a stranger’s form is refused above 64 KiB, and another site’s form is not read',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const stranger = (path: string, body: string, origin = world.url) =>
      fetch(world.url + path, { method: 'POST', headers: { 'Content-Type': FORM, Origin: origin }, body })
    for (const path of ['/sign-in', '/sign-in/passkey']) {
      // Thousands of fields take much longer to parse than one long field.
      const longest = 'a&'.repeat(32 * KIB)
      assert.equal((await stranger(path, longest)).status, 401, path)
      assert.equal((await stranger(path, `${longest}a`)).status, 413, path)
    }
    const owner = await world.signedIn()
    const tooLong = { padding: 'a'.repeat(1_024 * KIB) }
    assert.equal((await owner.post('/settings', tooLong)).status, 413)
    const refused = await owner.post('/settings', tooLong, { Origin: 'http://127.0.0.1:1' })
    assert.match(refused.html, /forged_form/)
    assert.match((await new Visitor(world.url).post('/settings', tooLong)).url, /sign-in/)
    assert.deepEqual(world.failures, [])
  },
)
