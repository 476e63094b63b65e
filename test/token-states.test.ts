import assert from 'node:assert/strict'
import { TokenStates } from '../src/store/access/token-states.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX } from './mailbox.ts'

onEachEngine('what a token opens is known after every change and when its time is over', async engine => {
  await using server = await TestServer.start(engine)
  await server.connect(MAILBOX)
  const token = await server.grant()
  await using reader = await openDatabase(server.location, 'point-reader')
  await using writer = await openDatabase(server.location, 'writer')
  const states = new TokenStates(reader)
  const now = new Date()
  const later = new Date(now.getTime() + 3_600_000)
  const kindAt = async (at: Date) => (await states.resolve(token, at))?.kind

  const first = await states.resolve(token, now)
  assert.equal(first?.kind, 'client')
  assert.deepEqual(await states.resolve(token, now), first)

  await writer.run('UPDATE grants SET expires_at = ?', [later.toISOString()])
  assert.equal(await kindAt(now), 'client')
  assert.equal(await kindAt(later), 'ended')
  assert.equal(await kindAt(now), 'client')

  await writer.run('UPDATE tokens SET expires_at = ?', [now.toISOString()])
  assert.equal(await kindAt(now), undefined)
  assert.equal(await kindAt(new Date(now.getTime() - 1)), 'client')

  await writer.run('UPDATE grants SET revoked_at = ?', [now.toISOString()])
  assert.equal(await kindAt(new Date(now.getTime() - 1)), 'ended')
})
