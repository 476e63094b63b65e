import assert from 'node:assert/strict'
import { CONTACTS } from '../src/importers/contacts/declaration.ts'
import { MARKDOWN } from '../src/importers/markdown/declaration.ts'
import { recordIdOf } from '../src/importers/record-id.ts'
import type { Declaration } from '../src/model/declaration/declaration.ts'
import type { JsonObject } from '../src/model/json.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { CHAT, line } from './chat.ts'
import { onEitherEngine } from './engines.ts'
import { message } from './mailbox.ts'

/** The link of the first hit on a page, which leads to its passage. */
function passageOn(html: string): string {
  return (/<h2 dir="auto"><a href="([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
}

onEitherEngine(
  'web addresses in a record are links, but not beside a passage or where a text is cut',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection_id = await world.mailbox('Mail', [])
    const at = 'https://example.org/'
    const cut = `${'x'.repeat(7_990)} ${at}cut-off`
    await world.ingest('messages', connection_id, [
      message('m1', { body: `A treaty: ${at}a. ${'And more. '.repeat(30)}`, subject: `${at}s` }),
      message('m2', { body: cut }),
    ])
    const owner = await world.signedIn()
    const linksOf = ({ html }: { html: string }) =>
      [...html.matchAll(/<a href="(https:[^"]+)" rel="noreferrer noopener nofollow">/g)].map(([, to]) => to)
    assert.deepEqual(linksOf(await owner.get(`/r/${connection_id}/messages/m1`)), [`${at}a`, `${at}s`])
    assert.deepEqual(linksOf(await owner.get(`/r/${connection_id}/messages/m2`)), [])
    const cited = await owner.get(passageOn((await owner.get('/search?q=treaty')).html))
    assert.match(cited.html, /<mark[^>]*>treaty<\/mark>/)
    assert.deepEqual(linksOf(cited), [`${at}s`])
  },
)

onEitherEngine('a passage in a title opens the record with its whole text', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  const long = `${'filler '.repeat(60)}and the last words`
  await world.ingest('messages', connection_id, [
    message('m1', { subject: 'The treaty', body: long }),
    message('m2', { subject: 'The armistice', body: 'A short answer.' }),
  ])
  const owner = await world.signedIn()
  const cited = (await owner.get(passageOn((await owner.get('/search?q=treaty')).html))).html
  assert.match(cited, /<mark id="p"[^>]*>treaty<\/mark>/)
  assert.match(cited, /aria-label="Text">\s*<p class="text " dir="auto">[^<]*and the last words<\/p>/)
  assert.match(cited, /<details class="card" ><summary>All fields/)
  assert.match(
    cited,
    new RegExp(`<a href="/sources/${connection_id}">Mail</a> · <a href="[^"]+">Your e-mail</a>`),
  )
  const short = (await owner.get(passageOn((await owner.get('/search?q=armistice')).html))).html
  assert.match(short, /<details class="card" open><summary>All fields/, 'nothing else shows the rest')
  assert.match(short, /<dt>Body<\/dt><dd class="text" dir="auto">A short answer\.</)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('fields without a value are named together', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  await world.ingest('messages', connection_id, [
    message('m1', { body: null, parts: [], secret: '', size: 0 }),
  ])
  const owner = await world.signedIn()
  const { html } = await owner.get(`/r/${connection_id}/messages/m1`)
  assert.match(
    html,
    /<dt>Without a value<\/dt><dd class="soft text">Body, (?:Parts, Secret|Secret, Parts)<\/dd>/,
  )
  assert.match(html, /<dt>Size<\/dt><dd class="text" dir="auto">0</)
  assert.doesNotMatch(html, />none</)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('a number too long for a double is shown with all its digits', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  const long = '1104533248352223232'
  const line = JSON.stringify(message('m1', { size: 7, parts: [{ id: 7, name: 'a.pdf' }] })).replaceAll(
    ':7',
    `:${long}`,
  )
  await world.ingest('messages', connection_id, line)
  const owner = await world.signedIn()
  const { html } = await owner.get(`/r/${connection_id}/messages/m1`)
  assert.match(html, new RegExp(`<dt>Size</dt><dd class="text" dir="auto">${long}<`))
  assert.match(html, new RegExp(`<dt>ID</dt><dd class="text" dir="auto">${long}<`))
  assert.deepEqual(world.failures, [])
})

/** A chat with these messages; the path of their pages. */
async function chat(world: AuthorizationWorld, messages: unknown[]): Promise<string> {
  const connection_id = await world.addSource(CHAT, 'Chat')
  await world.ingest('chat', connection_id, messages)
  return `/r/${connection_id}/chat`
}

onEitherEngine('a message without text says so in its conversation', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const path = await chat(world, [line('a', 1), line('b', 2, { text: null })])
  const owner = await world.signedIn()
  const { html } = await owner.get(`${path}/a`)
  assert.match(html, /chat\/b">open<\/a><\/p>\s*<p class="soft">No text<\/p>/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('the place of a chat message heads its page and is not repeated below', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const path = await chat(world, [line('a', 1)])
  const owner = await world.signedIn()
  const { html } = await owner.get(`${path}/a`)
  assert.match(html, new RegExp(`<h1 dir="auto">${line('a', 1).data.channel}</h1>`))
  assert.match(html, /<dt>By<\/dt>/)
  assert.doesNotMatch(html, /<dt>In<\/dt>/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('the people in the head of a record lead to everything with them', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  await world.ingest('messages', connection_id, [
    message('m1', { from: 'Ada <ada@example.org>', body: 'The treaty.' }),
  ])
  const owner = await world.signedIn()
  const { html } = await owner.get(`/r/${connection_id}/messages/m1`)
  assert.match(
    html,
    /<dd dir="auto"><a href="\/people\/ada%40example\.org">Ada &lt;ada@example\.org&gt;<\/a>/,
  )
  assert.match((await owner.get('/people/ada%40example.org')).html, /messages\/m1/)
  const demo = (await owner.get(`/r/${connection_id}/messages/m1?demo`)).html
  assert.doesNotMatch(demo, /href="\/people\//, 'a scrambled name leads nowhere')
  assert.deepEqual(world.failures, [])
})

onEitherEngine('a conversation with an AI names its parts, without empty instructions', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const path = await chat(world, [
    line('a', 1, { who: 'system', text: '' }),
    line('b', 2, { who: 'user', text: 'When was the treaty signed?' }),
    line('c', 3, { who: 'assistant', text: 'In May.' }),
  ])
  const owner = await world.signedIn()
  const { html } = await owner.get(`${path}/c`)
  assert.match(html, /<dt>By<\/dt><dd dir="auto">Assistant</)
  assert.match(html, /<strong dir="auto">You<\/strong>/)
  assert.doesNotMatch(html, />system</i)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('what nobody said is listed by its titles beside a record', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  await world.ingest('messages', connection_id, [
    message('m1', { from: undefined, subject: 'Talk', body: 'The first text' }),
    message('m2', { from: undefined, subject: 'Talk', body: 'The second text' }),
  ])
  const owner = await world.signedIn()
  const { html } = await owner.get(`/r/${connection_id}/messages/m1`)
  assert.match(html, /<h2 dir="auto">Beside it<\/h2>/)
  assert.match(html, /messages\/m2">Talk<\/a>/)
  assert.doesNotMatch(html, /The second text/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine(
  'a short chat message is shown once, in its conversation; a cited one also by itself',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const text = `The treaty was signed in May. ${'It took long. '.repeat(20)}`.trim()
    const path = await chat(world, [
      line('a', 1),
      line('b', 2, { text }),
      line('c', 3, { text: text.repeat(3) }),
      line('d', 4, { text: text.repeat(15) }),
    ])
    const owner = await world.signedIn()
    const short = (await owner.get(`${path}/b`)).html
    assert.match(short, new RegExp(`class="bubble asked">[\\s\\S]*>${text}</p></li>`))
    assert.doesNotMatch(short, /aria-label="Text"/)
    assert.match(short, new RegExp(`${text.repeat(3)}</p></li>`), 'another is shown whole')
    assert.match(short, new RegExp(`…</p><p><a class="small" href="${path}/d">Read all of it</a></p></li>`))
    const long = (await owner.get(`${path}/d`)).html
    assert.match(long, /aria-label="Text"/, 'a long one has its own place')
    assert.doesNotMatch(long, /Read all of it/)
    const cited = await owner.get(passageOn((await owner.get('/search?q=treaty%20signed')).html))
    assert.match(cited.html, /aria-label="The cited passage"/)
    assert.deepEqual(world.failures, [])
  },
)

/** A record of one of our own sources; the path of its page. */
async function ownRecord(world: AuthorizationWorld, declaration: Declaration, records: JsonObject[]) {
  const connection_id = await world.addSource(declaration, 'Own')
  const stream = declaration.streams[0]?.name ?? ''
  const lines = records.map(data => ({ key: data.id, data }))
  await world.ingest(stream, connection_id, lines)
  return `/r/${connection_id}/${stream}`
}

onEitherEngine(
  'the notes of a folder are listed by their titles, whoever wrote one of them',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const [one, two] = [recordIdOf('one'), recordIdOf('two')]
    const note = { folder: 'References', noted_at: '2026-01-01T00:00:00Z' }
    const path = await ownRecord(world, MARKDOWN, [
      { ...note, id: one, path: 'one.md', title: 'The first', text: 'Hello', author: 'Ada' },
      { ...note, id: two, path: 'two.md', title: 'The second', text: 'Only in the second' },
    ])
    const { html } = await (await world.signedIn()).get(`${path}/${one}`)
    assert.match(html, /<dt>In<\/dt><dd dir="auto">References</)
    assert.match(html, /<h2 dir="auto">In References<\/h2>/)
    assert.match(html, />The second<\/a>/)
    assert.doesNotMatch(html, /Only in the second/)
  },
)

onEitherEngine(
  'a contact shows how to reach the person, and a record without a title is not headed by ids',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const id = recordIdOf('ada')
    const path = await ownRecord(world, CONTACTS, [
      {
        ...{ id, name: 'Ada Byron', note: 'A note', updated_at: '2026-01-01T00:00:00Z', source_id: 'uid-7' },
        emails: [{ value: 'ada@example.org', label: null }],
        phones: [
          { value: '+49 1', label: 'work' },
          { value: '+49 2', label: 'cell' },
        ],
      },
      { id: recordIdOf('none'), organization: 'Engines', job_title: 'Engines', source_id: 'uid-8' },
    ])
    const owner = await world.signedIn()
    const { html } = await owner.get(`${path}/${id}`)
    assert.match(html, /<dt>Person<\/dt>/)
    assert.match(html, /<dt>Updated<\/dt><dd dir="auto">1 January 2026/)
    assert.match(html, /<details class="card" open><summary>All fields/)
    assert.match(html, /<dt>Emails<\/dt><dd class="text" dir="auto">ada@example\.org<\/dd>/)
    assert.match(html, /<li>\+49 1 \(work\)<\/li>/)
    assert.match((await owner.get(`${path}/${recordIdOf('none')}`)).html, /<h1 dir="auto">Engines<\/h1>/)
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine('times and flags among the fields of a record are shown as people read them', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  await world.ingest('messages', connection_id, [message('m1', { received_at: '2026-01-02T03:04:05Z' })])
  const owner = await world.signedIn()
  const { html } = await owner.get(`/r/${connection_id}/messages/m1`)
  assert.match(html, /<time datetime="2026-01-02T03:04:05Z">2 January 2026, 03:04 UTC<\/time>/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('a passage that spans wrapped lines is marked with exactly its characters', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const connection_id = await world.mailbox('Mail', [])
  const body = `thank you for the long letter that you sent me in the spring of last year,
which I have read several times.`
  await world.ingest('messages', connection_id, [message('m1', { body })])
  const owner = await world.signedIn()
  const link = passageOn((await owner.get('/search?q=letter')).html)
  const from = body.indexOf('last')
  const { html } = await owner.get(link.replace(/at=\d+-\d+/, `at=${from}-${from + 16}`))
  const [, marked = ''] = /<mark id="p"[^>]*>(.*?)<\/mark>/s.exec(html) ?? []
  assert.equal(marked, 'last year,<span class="wrap">\n</span>which')
  assert.equal(marked.replace(/<[^>]*>/g, ''), body.slice(from, from + 16))
})
