import assert from 'node:assert/strict'
import { Asking, AuthorizationWorld } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'

const MINUTE_MS = 60_000

/** The sentences of the page, newest first. */
async function sentences(owner: Awaited<ReturnType<AuthorizationWorld['signedIn']>>): Promise<string[]> {
  const { html } = await owner.get('/settings/changes')
  return [...html.matchAll(/<div class="head"><span>([^<]*)<\/span>/g)].map(([, sentence = '']) => sentence)
}

onEitherEngine('Changes names the app and its sources, one action in one line', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const mail = await world.mailbox('Work <b>mail')
  const home = await world.mailbox('Home mail', ['h1'])
  const owner = await world.signedIn()
  const give = async (client_name: string, connections: string[], more = {}) => {
    world.wait(2 * MINUTE_MS)
    return world.own('POST', '/v1/owner/grants', { client_name, connections, ...more })
  }
  const reader = await give('Reader', [mail, home])
  await give('Once', [mail], { single_use: true })
  world.wait(2 * MINUTE_MS)
  const narrowed = reader.grants.find(({ streams }: { streams: { instance_ids: string[] }[] }) =>
    streams.some(({ instance_ids }) => instance_ids.includes(home)),
  )
  const streams = [{ name: 'messages', fields: ['id', 'subject'] }]
  await world.own('POST', `/v1/owner/grants/${narrowed.grant_id}/replace`, { streams })
  world.wait(2 * MINUTE_MS)
  const kept = reader.grants.find(({ grant_id }: { grant_id: string }) => grant_id !== narrowed.grant_id)
  await world.call(`/v1/owner/grants/${kept.grant_id}`, undefined, { method: 'DELETE' })
  const told = await sentences(owner)
  assert.deepEqual(told.slice(0, 3), [
    'You ended the access of Reader to Work &lt;b&gt;mail',
    'You changed what Reader may read of Home mail',
    'Once used its one-time access to Work &lt;b&gt;mail',
  ])
  assert.equal(told[3], 'You gave Once access to Work &lt;b&gt;mail')
  assert.match(told[4] ?? '', /^You gave Reader access to .+mail and .+mail$/)
  assert.equal(told[5], 'You signed in with a sign-in link')
  assert.equal(told.length, 6)
  const { html } = await owner.get('/settings/changes')
  assert.match(html, /<summary>2 receipts<\/summary>/)
  const receipt = /href="([^"]+\/receipt)">Receipt/.exec(html)?.[1] ?? ''
  assert.equal((await owner.get(receipt)).status, 200)
  const { client_id } = (await world.register({ client_name: 'Nosy <i>' })).body
  await owner.submit(await new Asking(world, client_id).open(owner), { action: 'deny' })
  assert.equal((await sentences(owner))[0], 'You did not give Nosy &lt;i&gt; access')
  const { data } = (await world.call('/v1/owner/audit')).body
  const used = data.find(({ event }: { event: string }) => event === 'grant_consumed')
  assert.notEqual(used.client_id, null, 'the audit trail names the app')
  assert.deepEqual(world.failures, [])
})
