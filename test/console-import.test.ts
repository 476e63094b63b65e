import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { formParts } from '../src/console/multipart.ts'
import { IMPORTERS } from '../src/importers/importers.ts'
import { zipOf } from './archives.ts'
import { AuthorizationWorld, csrfIn, type Visitor } from './authorization-world.ts'
import { newProfile, signInOn } from './browser.ts'
import { onEitherEngine } from './engines.ts'

const MBOX = ['one', 'two']
  .map(
    (id, index) => `From hedda@example.org Thu Jan  1 10:00:00 2026
Message-ID: <${id}@example.org>
From: Hedda <hedda@example.org>
To: me@example.org
Subject: The treaty <b>${id}</b>
Date: Thu, 0${index + 1} Jan 2026 10:00:00 +0000

The treaty was signed ${id}.
`,
  )
  .join('\n')

function multipart(boundary: string, parts: readonly (readonly [head: string, body: string])[]): string {
  const written = parts.map(
    ([head, body]) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`,
  )
  return `${written.join('')}--${boundary}--\r\n`
}

test('a form with files is read in chunks of any size', async () => {
  const file = `binary \r\n--x-not-the-end \r\n\r\n ${'y'.repeat(5_000)}\r\n`
  const text = multipart('x-y', [
    ['name="csrf"', 'secret'],
    ['name="file"; filename="../a \\"b.mbox"', file],
    ['name="last"', ''],
  ])
  for (const size of [1, 7, 64, 100_000]) {
    const bytes = Buffer.from(text)
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )
    const request = new Request('http://x/', {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x-y' },
      body: ReadableStream.from(chunks),
      duplex: 'half',
    } as RequestInit)
    const found: string[] = []
    for await (const part of formParts(request)) {
      if (part.kind === 'field') found.push(`${part.name}=${part.value}`)
      else found.push(`${part.name}:${Buffer.concat(await Array.fromAsync(part.bytes)).toString()}`)
    }
    assert.deepEqual(found, ['csrf=secret', `file:${file}`, 'last='], `in chunks of ${size}`)
  }
  const cut = new Request('http://x/', {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=x-y' },
    body: text.slice(0, -20),
  })
  await assert.rejects(Array.fromAsync(formParts(cut)), /ends too early/)
})

async function upload(owner: Visitor, csrf: string, name: string, content: string) {
  const body = multipart('b', [
    ['name="csrf"', csrf],
    [`name="file"; filename="${name}"`, content],
  ])
  return owner.send('/import', body, 'multipart/form-data; boundary=b')
}

test('the import page names every format', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const { html } = await (await world.signedIn()).get('/import')
  const list = /What you can import<\/summary>(.*?)<\/details>/s.exec(html)?.[1]?.toLowerCase() ?? ''
  for (const { label } of IMPORTERS)
    assert.ok(
      label.match(/[A-Z][\w-]+|mbox|\.eml/g)?.some(name => list.includes(name.toLowerCase())),
      label,
    )
})

test('a file and a folder may have any name', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  const csrf = csrfIn(await owner.get('/import'))
  for (const name of ['arriving', 'arriving/a.mbox', '2 files']) {
    const { status, html } = await upload(owner, csrf, name, MBOX)
    assert.equal(status, 200, name)
    assert.match(html, /2 records can be imported/)
  }
  assert.deepEqual(
    readdirSync(join(world.directory, 'uploads')).filter(name => !/^[0-9a-f]{24}$/.test(name)),
    [],
  )
})

onEitherEngine(
  'a file is previewed before it is imported, and the import shows its progress',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const owner = await world.signedIn()
    const form = await owner.get('/import')
    const csrf = csrfIn(form)
    assert.equal((await upload(owner, 'forged', 'mail.mbox', MBOX)).status, 403)
    const unknown = await upload(owner, csrf, 'x.bin', '\0\x01\x02')
    assert.equal(unknown.status, 422)
    assert.match(unknown.html, /x\.bin contains nothing that Footnote can import/)
    assert.match(unknown.html, /<details class="card" open><summary>What you can import/)
    const preview = await upload(owner, csrf, '../../mail <i>.mbox', MBOX)
    assert.match(preview.html, /2 records can be imported\. Nothing is rejected/)
    assert.match(preview.html, /The treaty &lt;b&gt;one/)
    assert.equal(
      preview.html.match(/<h3>Your e-mail<\/h3><dl class="facts wide"><div><dt>Subject<\/dt>/g)?.length,
      1,
      'one example of each kind',
    )
    assert.match(preview.html, /<dt>Sent at<\/dt><dd [^>]*><time datetime=/)
    assert.match(preview.html, /<dt>Thread ID<\/dt>.*<dt>ID<\/dt>|<dt>ID<\/dt>.*<dt>Thread ID<\/dt>/s)
    assert.doesNotMatch(preview.html, /<i>|<b>one/)
    assert.deepEqual((await world.call('/v1/owner/connections')).body.data, [])
    const uploads = join(world.directory, 'uploads')
    assert.equal(readdirSync(uploads).length, 1)

    let run = await owner.submit(preview, { name: 'Old mail', action: 'import' })
    assert.match(new URL(run.url).pathname, /^\/sources\/cin_\w+\/imports\//)
    while (/http-equiv="refresh"/.test(run.html)) run = await owner.get(new URL(run.url).pathname)
    assert.match(run.html, /It finished on/)
    assert.match(run.html, /2 items read · 2 added · 0 rejected/)
    assert.match(run.html, /No app is connected/)
    assert.match((await owner.get('/search?q=treaty')).html, /2 records contain this word/)
    const [source] = (await world.call('/v1/owner/connections')).body.data
    assert.equal(source.display_name, 'Old mail')
    while (readdirSync(uploads).length > 0) await sleep(5)
    assert.equal((await owner.get(new URL(preview.url).pathname)).status, 404)
    assert.equal((await owner.get('/import/..%2F..%2Fetc')).status, 404)

    const path = new URL(run.url).pathname
    assert.ok(run.html.includes(`href="${path}/remove">Undo this import<`))
    const asked = await owner.get(`${path}/remove`)
    assert.match(asked.html, /brought into Old mail will be deleted, at most 2\./)
    assert.equal((await owner.post(path, { csrf: 'forged' })).status, 403)
    const undone = await owner.post(path, { csrf })
    assert.equal(new URL(undone.url).pathname, `/sources/${source.connection_id}`)
    assert.match(undone.html, />0 records</)
    assert.match(undone.html, /role="status">The import was undone/)
    assert.equal((await owner.get(path)).status, 404)

    const again = await upload(owner, csrf, 'mail.mbox', MBOX)
    const dropped = await owner.submit(again, { action: 'drop' })
    assert.equal(new URL(dropped.url).pathname, '/import')
    assert.match(dropped.html, /role="status">Nothing was imported\./)
    assert.deepEqual(readdirSync(uploads), [])
    assert.ok(existsSync(uploads))
    assert.deepEqual(world.failures, [])
  },
)

onEitherEngine('uploads with the suggested name go to the source of their chat or account', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  const csrf = csrfIn(await owner.get('/import'))
  const chat = (name: string, ...texts: string[]) => {
    const messages = texts.map((text, index) => ({
      ...{ id: index + 1, type: 'message', from: 'Ada', text },
      date: `2026-05-04T10:00:0${index}`,
    }))
    return JSON.stringify({ name, type: 'private_group', id: name.length, messages })
  }
  const imported = async (name: string, content: string, chosen?: string) => {
    const preview = await upload(owner, csrf, name, content)
    const suggested = /name="name" value="([^"]+)"/.exec(preview.html)?.[1] ?? ''
    let run = await owner.submit(preview, { name: chosen ?? suggested, action: 'import' })
    while (/http-equiv="refresh"/.test(run.html)) run = await owner.get(new URL(run.url).pathname)
    return Number(/ (\d+) added/.exec(run.html)?.[1])
  }
  const sources = async () =>
    (await world.call('/v1/owner/connections')).body.data.map(
      ({ display_name }: { display_name: string }) => display_name,
    )
  assert.equal(await imported('result.json', chat('Family', 'one')), 1)
  assert.equal(await imported('result.json', chat('Work', 'two')), 1)
  assert.deepEqual(await sources(), ['Telegram: Family', 'Telegram: Work'])
  assert.equal(await imported('result (1).json', chat('Family', 'one', 'three')), 1)
  assert.equal(await imported('result.json', chat('Club', 'four'), ''), 1)
  assert.deepEqual(await sources(), ['Telegram: Family', 'Telegram: Work', 'Telegram: Club'])

  assert.equal(await imported('inbox.mbox', MBOX, 'inbox'), 2)
  assert.equal(await imported('inbox.mbox', MBOX), 0, 'a source with an earlier name is continued')
  assert.equal(await imported('inbox.mbox', MBOX, 'Another'), 2)
  assert.deepEqual((await sources()).slice(3), ['inbox', 'Another'])
  assert.deepEqual(world.failures, [])
})

test('a row of a table shows all of its values, and where it was once, however often it was imported', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  const csrf = csrfIn(await owner.get('/import'))
  const table =
    'date,payee,memo,amount\n2026-05-04,Grocer,Apples and pears,12.50\n2026-05-05,Baker,Bread,3.20\n'
  for (let no = 0; no < 2; no++) {
    const preview = await upload(owner, csrf, 'spent.csv', table)
    const name = /name="name" value="([^"]+)"/.exec(preview.html)?.[1] ?? ''
    let run = await owner.submit(preview, { name, action: 'import' })
    while (/http-equiv="refresh"/.test(run.html)) run = await owner.get(new URL(run.url).pathname)
  }
  const found = await world.call('/v1/search?q=apples')
  const { html } = await owner.get(new URL(found.body.data[0].url).pathname)
  assert.match(html, /<details class="card" open>/)
  assert.equal(html.match(/in spent\.csv/g)?.length, 1)
  assert.deepEqual(world.failures, [])
})

test('a folder keeps its paths, several files are imported together, and no path leads out of the folder', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  const csrf = csrfIn(await owner.get('/import'))
  const send = (files: readonly [name: string, content: string][]) =>
    owner.send(
      '/import',
      multipart('b', [
        ['name="csrf"', csrf],
        ...files.map(([name, content]) => [`name="folder"; filename="${name}"`, content] as const),
        ['name="file"; filename=""', ''],
      ]),
      'multipart/form-data; boundary=b',
    )
  const vault = await send([
    ['Vault/.obsidian/app.json', '{}'],
    ['Vault/Deep: er/A.md', '# Treaty\n\nSigned, see [[Z]].'],
    ['Vault/Z.md', 'The other note'],
    ['Vault/empty.md', ''],
  ])
  assert.equal(vault.status, 200)
  assert.match(vault.html, /<h1 class="path">Vault<\/h1>/)
  assert.match(vault.html, /<p class="lede">[^<]*notes/i)
  assert.match(vault.html, /Deep: er/)
  const several = await send([
    ['../one.mbox', MBOX],
    ['one.mbox', MBOX.replaceAll('@example.org>', '@other.example>')],
    ['..\\..\\', MBOX.replaceAll('@example.org>', '@third.example>')],
  ])
  assert.match(several.html, /<h1 class="path">file, one \(2\)\.mbox, one\.mbox<\/h1>/)
  assert.match(several.html, /<p class="lede">Mail in mbox files, 6 items\.<\/p>/)
  const kept = readdirSync(join(world.directory, 'uploads'), { recursive: true }).map(String)
  const names = kept.map(path => path.split('/').slice(1).join('/')).filter(path => !path.startsWith('Vault'))
  assert.deepEqual(names.filter(path => path !== '').sort(), ['file', 'one (2).mbox', 'one.mbox'])
  const beside = await send([
    ['a', MBOX],
    ['a/b.mbox', MBOX.replaceAll('@example.org>', '@b.example>')],
    ['c/d.mbox', MBOX.replaceAll('@example.org>', '@d.example>')],
    ['a/c/e.mbox', MBOX.replaceAll('@example.org>', '@e.example>')],
    ['c', MBOX.replaceAll('@example.org>', '@c.example>')],
  ])
  assert.match(beside.html, /10 records can be imported/, 'a file beside a folder of the same name')
  await owner.submit(beside, { action: 'drop' })
  const none = await send([])
  assert.equal(none.status, 400)
  assert.match(none.html, /Choose a file or a folder first/)
  assert.equal((await send([[`${'n'.repeat(300)}.md`, 'x']])).status, 400)
  assert.equal(readdirSync(join(world.directory, 'uploads')).length, 2)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('exports of several kinds that are chosen together are all imported', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const owner = await world.signedIn()
  const csrf = /name="csrf" value="([^"]+)"/.exec((await owner.get('/import')).html)?.[1] ?? ''
  const choose = (...files: (readonly [name: string, content: Buffer | string])[]) => {
    const parts = files.map(
      ([name, content]) => [`name="file"; filename="${name}"`, content.toString('latin1')] as const,
    )
    const body = Buffer.from(multipart('b', [['name="csrf"', csrf], ...parts]), 'latin1')
    return owner.send('/import', body, 'multipart/form-data; boundary=b')
  }
  const chat = (who: string) => {
    const lines = ['Ahoy', 'Are you there?', 'At the jetty'].map(
      (said, minute) => `01/02/2026, 10:0${minute} - ${who}: ${said}`,
    )
    return zipOf([{ path: `WhatsApp Chat with ${who}.txt`, content: lines.join('\n') }])
  }
  const preview = await choose(
    ['mail.mbox', MBOX],
    ['berths.csv', 'day,berth\n2026-01-02,14\n'],
    ['a.zip', chat('Ann')],
    ['b.zip', chat('Ben')],
    ['photo.jpg', Buffer.from('ffd8ffe000104a464946', 'hex')],
  )
  assert.equal(preview.status, 200)
  assert.match(preview.html, /<h1 class="path">a\.zip, b\.zip, berths\.csv and 2 more<\/h1>/)
  assert.match(preview.html, /9 records can be imported/)
  assert.match(preview.html, /<details open><summary>What is left out<\/summary><ul><li>1 picture\./)
  assert.doesNotMatch(preview.html, /What to call it/)
  const examples = [...preview.html.matchAll(/<h3>([^<]+)<\/h3>/g)].map(([, label]) => label)
  assert.deepEqual(examples, ['Your e-mail', 'Your table &quot;rows&quot;', 'Your WhatsApp messages'])
  const begun = await owner.submit(preview, { action: 'import' })
  assert.match(begun.html, /3 other parts/)
  const uploads = join(world.directory, 'uploads')
  for (let tries = 0; tries < 200 && readdirSync(uploads).length > 0; tries++) await sleep(20)
  const { pathname, search } = new URL(begun.url)
  const ended = (await owner.get(pathname + search)).html
  const parts = [...ended.matchAll(/<strong class="path">([^<]+)<\/strong>.*?(\d) added/gs)]
  assert.deepEqual(parts.map(([, name, added]) => `${name} ${added}`).sort(), [
    'Table: berths 1',
    'WhatsApp: Ann 3',
    'WhatsApp: Ben 3',
  ])
  assert.doesNotMatch(ended, /http-equiv="refresh"/)
  const { html } = await owner.get('/sources')
  const sources = [...html.matchAll(/href="\/sources\/cin_\w+"><strong[^>]*>([^<]+)/g)].map(found => found[1])
  assert.deepEqual(sources.sort(), ['Mail', 'Table: berths', 'WhatsApp: Ann', 'WhatsApp: Ben'])

  const damaged = chat('Eve').subarray(0, 60)
  const alone = await choose(['damaged.zip', damaged])
  assert.equal(alone.status, 422)
  assert.doesNotMatch(alone.html, /uploads/, 'where an upload is kept is not told')
  const beside = await choose(['damaged.zip', damaged], ['a.zip', chat('Ann')])
  assert.match(beside.html, /3 records can be imported.*<li>damaged\.zip contains nothing/s)
  await owner.submit(beside, { action: 'drop' })

  const named = await choose(['a.zip', chat('Cleo')], ['b.zip', chat('Dora')])
  assert.match(named.html, /What to call it.*With a name they become one source/s)
  await owner.submit(named, { action: 'import', name: 'Chats' })
  for (let tries = 0; tries < 200 && readdirSync(uploads).length > 0; tries++) await sleep(20)
  const after = await owner.get('/sources')
  assert.match(after.html, /Chats/)
  assert.doesNotMatch(after.html, /Cleo|Dora/)
  assert.deepEqual(world.failures, [])
})

test('in a browser without scripts: a folder and a zip are chosen, previewed and imported', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const folder = join(world.directory, 'Old mail')
  mkdirSync(join(folder, 'years'), { recursive: true })
  writeFileSync(join(folder, 'years', '2026.mbox'), MBOX)
  writeFileSync(join(folder, 'inbox.mbox'), MBOX.replaceAll('@example.org>', '@other.example>'))
  await using profile = await newProfile({ viewport: { width: 1280, height: 844 }, javaScriptEnabled: false })
  const page = await profile.newPage()
  await page.goto(`${world.url}/import`)
  await signInOn(page, world)
  await page.getByLabel('Or a whole folder').setInputFiles(folder)
  await page.getByRole('button', { name: 'See what is in it' }).click()
  await page.getByRole('heading', { name: 'Old mail' }).waitFor()
  await page.getByText('4 records can be imported').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('4 items read · 4 added · 0 rejected').waitFor()

  const other = MBOX.replaceAll('@example.org>', '@zipped.example>')
  const buffer = zipOf([{ path: 'Takeout/Mail/all.mbox', content: other }])
  await page.goto(`${world.url}/import`)
  await page
    .getByLabel('Choose files')
    .setInputFiles({ name: 'mail.zip', mimeType: 'application/zip', buffer })
  await page.getByRole('button', { name: 'See what is in it' }).click()
  await page.getByText('2 records can be imported. Nothing is rejected').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 items read · 2 added · 0 rejected').waitFor()
  assert.deepEqual(world.failures, [])
})

test('in a browser without scripts: a file, its preview, the import, a search, the hit at its mark, its conversation', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await using profile = await newProfile({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
  const page = await profile.newPage()
  await page.goto(`${world.url}/sources`)
  await signInOn(page, world)
  await page.getByRole('link', { name: 'Import files or a folder' }).click()
  const reply = MBOX.replace(
    'Message-ID: <two@example.org>',
    'Message-ID: <two@example.org>\nIn-Reply-To: <one@example.org>',
  )
  const file = { name: 'mail.mbox', mimeType: 'application/mbox', buffer: Buffer.from(reply) }
  await page.getByLabel('Choose files, or drop them here').setInputFiles(file)
  await page.getByRole('button', { name: 'See what is in it' }).click()
  await page.getByText('2 records can be imported').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('It finished on').waitFor()
  await page.getByRole('link', { name: 'Search it' }).click()
  await page.getByLabel('Words to search for').fill('treaty signed')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.locator('.evidence').first().click()
  await page.locator('mark#p').waitFor()
  await page.getByRole('heading', { name: 'Conversation' }).waitFor()
  assert.equal(await page.locator('.talk > li').count(), 2)
  assert.deepEqual(world.failures, [])
})
