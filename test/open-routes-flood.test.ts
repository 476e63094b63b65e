import assert from 'node:assert/strict'
import { floodOpenRoutes } from '../bench/attack/open-routes-flood.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { count, onEachEngine } from './engines.ts'
import { record } from './figures.ts'

onEachEngine('an app connects while a stranger floods the routes that need no token', async engine => {
  await using world = await AuthorizationWorld.start(engine, { addressLimit: 20 })
  await world.mailbox('Work mail')
  const { body } = await world.register()
  const requests = count(200, 20_000)
  const { client_id } = body
  const flooding = floodOpenRoutes({ url: world.url, client_id, requests, from: '127.0.0.2' })
  const { access_token } = await world.connect(await world.signedIn())
  assert.equal((await world.call('/v1/schema', access_token)).status, 200)
  const { statuses } = await flooding
  assert.ok((statuses[429] ?? 0) > requests / 3, JSON.stringify(statuses))
  assert.equal(statuses[500], undefined)
  assert.equal((await world.register()).status, 201)
  record('flood without tokens', engine, { requests, 'told to wait': statuses[429] ?? 0, failed: 0 })
})
