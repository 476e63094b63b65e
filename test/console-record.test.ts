import assert from 'node:assert/strict'
import { AuthorizationWorld } from './authorization-world.ts'
import { CHAT, line } from './chat.ts'
import { onEachEngine } from './engines.ts'
import { message } from './mailbox.ts'

async function ingest(world: AuthorizationWorld, connection_id: string, records: unknown[]): Promise<void> {
  const lines = records.map(record => JSON.stringify(record)).join('\n')
  await world.own('POST', `/v1/ingest/messages?connection_id=${connection_id}`, lines, 'application/x-ndjson')
}

/** The link of the first passage on a page. */
function passageOn(html: string): string {
  return (/<a class="evidence"[^>]+href="([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
}

onEachEngine('a passage in a title opens the record with its whole text', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  const long = `${'filler '.repeat(60)}and the last words`
  await ingest(world, connection_id, [
    message('m1', { subject: 'The treaty', body: long }),
    message('m2', { subject: 'The armistice', body: 'A short answer.' }),
  ])
  const owner = await world.signedIn()
  const cited = (await owner.get(passageOn((await owner.get('/search?q=treaty')).html))).html
  assert.match(cited, /<mark id="p"[^>]*>treaty<\/mark>/)
  assert.match(cited, /aria-label="Text">\s*<p class="text " dir="auto">[^<]*and the last words<\/p>/)
  assert.match(cited, /<details class="card" ><summary>All fields/)
  assert.match(cited, new RegExp(`<a href="/sources/${connection_id}">Mail</a> · Your e-mail`))
  const short = (await owner.get(passageOn((await owner.get('/search?q=armistice')).html))).html
  assert.match(short, /<details class="card" open><summary>All fields/, 'nothing else shows the rest')
  assert.match(short, /<dt>Body<\/dt><dd class="text" dir="auto">A short answer\.</)
  assert.deepEqual(world.failures, [])
})

onEachEngine('fields without a value are named together', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  await ingest(world, connection_id, [message('m1', { body: null, parts: [], secret: '', size: 0 })])
  const owner = await world.signedIn()
  const { html } = await owner.get(`/r/${connection_id}/messages/m1`)
  assert.match(html, /<dt>Without a value<\/dt><dd class="soft">Body, (?:Parts, Secret|Secret, Parts)<\/dd>/)
  assert.match(html, /<dt>Size<\/dt><dd class="text" dir="auto">0</)
  assert.doesNotMatch(html, />none</)
  assert.deepEqual(world.failures, [])
})

onEachEngine('a message without text says so in its conversation', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  await ingest(world, connection_id, [
    message('m1', { subject: 'The treaty', body: 'The first message.' }),
    message('m2', { subject: 'The treaty', received_at: '2026-01-03T03:04:05Z' }),
  ])
  const owner = await world.signedIn()
  const { html } = await owner.get(`/r/${connection_id}/messages/m1`)
  assert.match(html, /messages\/m2">open<\/a><\/p>\s*<p class="soft">No text<\/p>/)
  assert.deepEqual(world.failures, [])
})

onEachEngine('the place of a chat message heads its page and is not repeated below', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.own('POST', '/v1/owner/declarations', CHAT)
  const made = { source_id: CHAT.source.id, display_name: 'Chat' }
  const { connection_id } = await world.own('POST', '/v1/owner/connections', made)
  const path = `${CHAT.streams[0]?.name}?connection_id=${connection_id}`
  await world.own('POST', `/v1/ingest/${path}`, JSON.stringify(line('a', 1)), 'application/x-ndjson')
  const owner = await world.signedIn()
  const { html } = await owner.get(`/r/${connection_id}/${CHAT.streams[0]?.name}/a`)
  assert.match(html, new RegExp(`<h1 dir="auto">${line('a', 1).data.channel}</h1>`))
  assert.match(html, /<dt>By<\/dt>/)
  assert.doesNotMatch(html, /<dt>Where<\/dt>/)
  assert.deepEqual(world.failures, [])
})
