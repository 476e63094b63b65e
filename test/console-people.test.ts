import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importSamples } from '../src/cli/import/import-samples.ts'
import { ownServer } from '../src/cli/own-server.ts'
import { CLAUDE_CODE, CODEX } from '../src/importers/agent-logs/declaration.ts'
import { CHATGPT } from '../src/importers/chatgpt/declaration.ts'
import { CLAUDE } from '../src/importers/claude/declaration.ts'
import { recordIdOf } from '../src/importers/record-id.ts'
import { AuthorizationWorld, csrfIn } from './authorization-world.ts'
import { newProfile, signInOn } from './browser.ts'
import { type Engine, onEitherEngine } from './engines.ts'
import { source, stream } from './mailbox.ts'

/** A message of each source of conversations with an AI, without its author. */
const AI_MESSAGES = [
  {
    ...{ declaration: CHATGPT, stream: 'chatgpt_messages', field: 'author' },
    data: { conversation_id: 'c', role: 'tool', is_shown: true, position: 1 },
  },
  {
    ...{ declaration: CLAUDE, stream: 'claude_messages', field: 'sender' },
    data: { conversation_id: 'c', is_shown: true, position: 1 },
  },
  ...[CLAUDE_CODE, CODEX].map(declaration => ({
    ...{ declaration, stream: declaration.streams[0]?.name, field: 'role' },
    data: { session_id: 's', position: 1 },
  })),
]

/** A chat whose writers have only names, and mail whose writers have addresses. */
async function peopledWorld(engine: Engine): Promise<AuthorizationWorld> {
  const world = await AuthorizationWorld.start(engine)
  const declare = (name: string, writer: string) => {
    const fields = {
      [writer]: { type: 'string', x_pdpp_role: 'actor' },
      to: { type: 'array', items: { type: 'string' }, x_pdpp_role: 'recipient' },
      text: { type: 'string', x_pdpp_role: 'primary-text' },
      at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
    }
    const aggregations = { count: true, group_by: [writer] }
    const more = { consent_time_field: 'at', query: { aggregations } }
    const declaration = { ...source(name), streams: [stream(`${name}_messages`, fields, more)] }
    return world.addSource(declaration, `My ${name}`)
  }
  const put = (connection_id: string, stream: string, lines: object[]) =>
    world.ingest(
      stream,
      connection_id,
      lines.map((data, index) => ({ key: `${index}`, data: { id: `${index}`, ...data } })),
    )
  await put(await declare('mail', 'from'), 'mail_messages', [
    {
      from: 'Hedda Ruusk <Hedda@example.org>',
      to: ['me@example.org'],
      text: 'one',
      at: '2026-01-01T10:00:00Z',
    },
    {
      from: 'hedda@example.org',
      to: ['<b>Bo</b> <bo@example.org>'],
      text: 'two',
      at: '2026-01-03T10:00:00Z',
    },
  ])
  await put(await declare('chat', 'who'), 'chat_messages', [
    { who: 'Hedda', text: 'three', at: '2026-01-02T10:00:00Z' },
    { who: 'Tilda', text: 'four', at: '2026-01-04T10:00:00Z' },
    { who: 'assistant', text: 'five', at: '2026-01-05T10:00:00Z' },
  ])
  return world
}

onEitherEngine(
  'people are listed across sources, and two are merged only when the owner says so',
  async engine => {
    await using world = await peopledWorld(engine)
    const owner = await world.signedIn()
    const people = await owner.get('/people')
    const names = [...people.html.matchAll(/<strong>([^<]+)<\/strong>/g)].map(([, name]) => name)
    assert.deepEqual(names.sort(), [
      '&lt;b&gt;Bo&lt;/b&gt;',
      'Hedda',
      'Hedda Ruusk',
      'Tilda',
      'me@example.org',
    ])
    assert.match(
      people.html,
      /Hedda Ruusk<\/strong><\/a> <span class="soft small">hedda@example.org<\/span><\/span><span class="amount small">wrote 2 records/,
    )
    const found = await owner.get('/people?q=hedda')
    assert.doesNotMatch(found.html, /Tilda/)
    assert.match((await owner.get('/people?q=nobody')).html, /Nobody in your records matches that/)

    const texts = async (path: string) =>
      [...(await owner.get(path)).html.matchAll(/href="\/r\/[^"]+">(\w+)</g)].map(([, text]) => text)
    const mail = '/people/hedda%40example.org'
    const page = await owner.get(mail)
    assert.match(page.html, /<h1 dir="auto">Hedda Ruusk<\/h1>/)
    const alone = await texts(mail)
    assert.equal(alone.length, 2)
    const one = await owner.submit(page, { other: 'Hedda', name: 'Hedda R.' })
    assert.match(
      one.html,
      /<h1 dir="auto">Hedda R\.<\/h1>[\s\S]*role="status">Saved\. It changes these pages only/,
    )
    assert.equal((await texts(mail)).length, 3)
    const tabs = (html: string) =>
      [...html.matchAll(/>(My \w+)( \(\d+\))?<\/a>/g)].map(([, ...tab]) => tab.join(''))
    assert.deepEqual([tabs(page.html), tabs(one.html)], [['My mail (2)'], ['My mail (2)', 'My chat (1)']])
    assert.deepEqual(await texts('/people/hedda'), await texts(mail))
    const list = (await owner.get('/people')).html
    assert.match(list, /Hedda R\.<\/strong>[\s\S]*?wrote 3 records/)
    assert.doesNotMatch(list, />Hedda Ruusk</)

    // A client gets the same answer as before.
    const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
    const { data } = (await world.call('/v1/records?person=hedda%40example.org', access_token)).body
    assert.equal(data.length, 2)
    const csrf = csrfIn(one)
    const separate = /name="separate" value="([^"]+)"/.exec(one.html)?.[1] ?? ''
    await owner.post(mail, { csrf, separate })
    assert.equal((await texts(mail)).length, 2)
    for (const other of ['hedda@example.org', ' '])
      assert.equal((await owner.post(mail, { csrf, other })).status, 400)
    const typo = await owner.post(mail, { csrf, other: 'Heda' })
    assert.equal(typo.status, 400)
    assert.match(
      typo.html,
      /<h1 dir="auto">Hedda Ruusk<[\s\S]*role="alert">No record has this name or address/,
    )
    assert.equal((await owner.post(mail, { csrf, separate })).status, 404)
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine(
  'the owner says that a person is the owner, and from:me finds what they wrote',
  async engine => {
    await using world = await peopledWorld(engine)
    const owner = await world.signedIn()
    const mail = '/people/hedda%40example.org'
    const mine = async () => (await world.call('/v1/records?from=me')).body.data.length
    assert.equal(await mine(), 0)
    const { html } = await owner.get(mail)
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
    assert.match(html, /action="\/settings\/server"/)
    const [csrf, value] = [field('csrf'), field('value')]
    assert.match((await owner.post('/settings/server', { csrf, name: 'my-names', value })).html, />Saved\.</)
    assert.equal(await mine(), 2)
    assert.match((await owner.get(mail)).html, /This is you/)
    assert.match((await owner.get('/people/hedda')).html, /value="hedda@example\.org, hedda"/)
  },
)

onEitherEngine(
  'a long list of people is shown in steps, and people with the same name are offered to be joined',
  async engine => {
    await using world = await peopledWorld(engine)
    const { data } = (await world.call('/v1/owner/connections')).body
    const mail = data.find((each: { display_name: string }) => each.display_name === 'My mail')
    const lines = Array.from({ length: 40 }, (_, index) => {
      const from = `Writer ${index} <w${index}@example.org>`
      return { key: `w${index}`, data: { id: `w${index}`, from, text: 'x', at: '2026-02-01T10:00:00Z' } }
    })
    lines.push(
      ...['ada at old.example', 'ada at new.example'].map((address, index) => {
        const data = { id: `a${index}`, from: `Ada B. <${address}>`, text: 'y', at: '2026-03-02T10:00:00Z' }
        return { key: data.id, data }
      }),
    )
    await world.ingest('mail_messages', mail.connection_id, lines)
    const owner = await world.signedIn()
    const rows = (html: string) => html.split('<strong>').length - 1
    const first = (await owner.get('/people')).html
    assert.match(first, /47 names in your records/)
    assert.equal(rows(first), 30)
    assert.match(first, /href="\/people\?show=120">Show more<\/a><span class="soft">17 more/)
    assert.equal(rows((await owner.get('/people?show=120')).html), 47)
    assert.match(
      (await owner.get('/people?q=ada')).html,
      /<strong>Ada B\.<\/strong><\/a> <span class="soft small">ada at (?:old|new)\.example</,
    )

    const ada = `/people/${encodeURIComponent('ada b. <ada at old.example>')}`
    const page = await owner.get(ada)
    assert.match(page.html, /<h1 dir="auto">Ada B\.<\/h1>/)
    assert.match(page.html, /Wrote 1 record\. Newest record: 2 March 2026\./)
    const csrf = csrfIn(page)
    const other =
      /name="other" value="([^"]+)"/.exec(page.html)?.[1]?.replace('&lt;', '<').replace('&gt;', '>') ?? ''
    assert.equal(other, 'ada b. <ada at new.example>')
    const joined = await owner.post(ada, { csrf, other })
    assert.match(joined.html, /Wrote 2 records\./)
    assert.doesNotMatch(joined.html, /name="other" value/)
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine('the page of a person does not say that nothing was written by a name in it', async engine => {
  await using world = await peopledWorld(engine)
  const owner = await world.signedIn()
  const part = (await owner.get('/people/ruusk')).html
  assert.match(part, /<p class="soft">Newest record: 1 January 2026\.<\/p>/)
  assert.match(part, /<ol class="rows card"><li/)
})

onEitherEngine('the owner gives one person a name, and takes the name of the records again', async engine => {
  await using world = await peopledWorld(engine)
  const owner = await world.signedIn()
  const mail = '/people/hedda%40example.org'
  const csrf = csrfIn(await owner.get(mail))
  const named = await owner.post(mail, { csrf, name: ' Aunt Hedda ' })
  assert.match(named.html, /<h1 dir="auto">Aunt Hedda<\/h1>/)
  assert.match((await owner.get('/people')).html, /Aunt Hedda<\/strong>[\s\S]*?wrote 2 records/)
  await owner.post(mail, { csrf, name: 'Hedda R.' })
  const joined = await owner.post(mail, { csrf, other: 'Hedda' })
  assert.match(
    joined.html,
    /<p class="lede" dir="auto">[^<]*\bHedda\b/,
    'names are spelled as in the records',
  )
  assert.match(joined.html, /<h1 dir="auto">Hedda R\.<\/h1>/, 'another name of the person does not change it')
  const again = await owner.post(mail, { csrf, name: 'Hedda' })
  assert.match(again.html, /<h1 dir="auto">Hedda<\/h1>/)
  assert.match(again.html, /Separate these 2 names again/)
  const { data } = (await world.call('/v1/owner/people')).body
  assert.deepEqual(
    data.map(({ name, members }: { name: string; members: string[] }) => [name, members]),
    [['Hedda', ['hedda@example.org', 'hedda']]],
  )
  assert.equal((await owner.post(mail, { csrf, name: ' ' })).status, 400)

  const bo = '/people/bo%40example.org'
  const other = await owner.post(bo, { csrf, name: 'Bo' })
  const separate = /name="separate" value="([^"]+)"/.exec(other.html)?.[1] ?? ''
  assert.match(other.html, />Use the name in the records again</)
  assert.match((await owner.post(bo, { csrf, separate })).html, /<h1 dir="auto">&lt;b&gt;Bo&lt;\/b&gt;<\/h1>/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('tools and models in conversations with an AI are not people', async engine => {
  await using world = await peopledWorld(engine)
  for (const { declaration, stream, field, data } of AI_MESSAGES) {
    const connection_id = await world.addSource(declaration, declaration.source.id)
    const lines = ['browser', 'dalle.text2im', 'human', 'developer', 'Tilda'].map(who => {
      const id = recordIdOf(who)
      return { key: id, data: { ...data, id, [field]: who } }
    })
    await world.ingest(stream ?? '', connection_id, lines)
  }
  const names = async (query = '') =>
    (await world.call(`/v1/owner/named-people${query}`)).body.data
      .map(({ person }: { person: string }) => person)
      .sort()
  assert.deepEqual(await names(), ['bo@example.org', 'hedda', 'hedda@example.org', 'me@example.org', 'tilda'])
  assert.deepEqual(await names('?q=browser'), [])
})

test('in a browser the owner finds a person of the sample data, and goes from source to source', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await importSamples(ownServer(world.server), new AbortController().signal, () => {})
  await using profile = await newProfile({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
  const page = await profile.newPage()
  await page.goto(`${world.url}/people`)
  await signInOn(page, world)
  await page.getByLabel('A name or an address').fill('hedda')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('link', { name: 'Hedda' }).first().click()
  await page.getByRole('navigation', { name: 'Which source' }).getByRole('link').nth(1).click()
  await page.locator('ol.rows a').first().click()
  await page.getByText('All fields').waitFor()
  assert.deepEqual(world.failures, [])
})
