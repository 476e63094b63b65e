import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppHost } from './app-host.ts'
import { newProfile } from './browser.ts'
import { TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { type Loose, McpTestClient } from './mcp-client.ts'

const HOSTILE =
  '</blockquote><img src="https://evil.example/a.png" onerror="document.title=\'owned\'"><script>document.title="owned"</script>\u202e<a href="javascript:document.title=1">x</a> &amp; 😀'
const BODY = `${'a line of text\n'.repeat(80)}${HOSTILE} The treaty was signed.${' and so on'.repeat(200)}`

async function evidence() {
  const server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX, '<b>Work</b> mail')
  const subject = '<img src=x onerror=alert(1)> Minutes'
  await server.ingest('messages', connection, [
    message('o1', { subject, body: BODY }),
    message('o2', { body: 'A short note about 😀.' }),
  ])
  const client = await McpTestClient.connect(server, await server.grant())
  const { contents } = await client.read('ui://footnote/evidence')
  const show = async (record: string, args: object): Promise<Loose> =>
    (
      await client.call('show_evidence', {
        id: `${connection}/messages:${record}`,
        field_path: 'body',
        ...args,
      })
    ).result
  const close = async () => {
    await client[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  }
  return { html: contents[0].text as string, show, subject, [Symbol.asyncDispose]: close }
}

test('HO-10 the page of show_evidence shows and checks a passage in a real browser, and makes no network requests', async () => {
  await using world = await evidence()
  await using profile = await newProfile()
  const page = await profile.newPage()
  const problems: string[] = []
  page.on('dialog', dialog => {
    problems.push(dialog.message())
    return dialog.dismiss()
  })
  page.on('pageerror', error => problems.push(String(error)))
  const { bridge, frame, requests } = await AppHost.open(page, world.html, 'dark')
  const opened = new Promise<string>(resolve => {
    bridge.onopenlink = async ({ url }) => {
      resolve(url)
      return {}
    }
  })
  const grown = new Promise<void>(resolve => {
    bridge.addEventListener('sizechange', ({ height = 0 }) => {
      if (height > 400) resolve()
    })
  })
  const texts = (id: string) => frame.locator(`#${id}`).textContent()
  const checked = async () => {
    await frame.locator('#check.good, #check.bad').waitFor()
    return texts('check')
  }
  assert.equal(await texts('state'), 'Waiting for the passage.')
  assert.equal(await frame.locator('html').getAttribute('data-theme'), 'dark')

  const marked = await world.show('o1', { q: 'The treaty was signed' })
  await bridge.sendToolInput({ arguments: {} })
  await bridge.sendToolResult(marked)
  assert.match((await checked()) ?? '', /^✓ The digest matches the passage/)
  const { passage, url, occurred_at } = marked.structuredContent
  assert.equal(await texts('passage'), `… ${passage.text} …`, 'every character is there, as text')
  assert.equal(await frame.locator('mark').textContent(), 'The treaty was signed')
  assert.equal(await texts('title'), world.subject)
  assert.equal(await texts('origin'), `<b>Work</b> mail · ada@example.org · ${occurred_at}`)
  assert.equal(await texts('digest'), passage.digest)
  assert.match((await texts('place')) ?? '', /^body · characters \d+ to \d+ of \d+$/)
  assert.equal(await frame.locator('img, a, b, article script').count(), 0)
  await frame.locator('#open').click()
  assert.equal(await opened, url)
  await grown

  const changed = structuredClone(marked)
  changed.structuredContent.passage.text = passage.text.replace('signed', 'burned')
  await bridge.sendToolResult(changed)
  await frame.locator('#check.bad').waitFor()
  assert.match((await texts('check')) ?? '', /does not match/)

  await bridge.sendToolResult(await world.show('o2', {}))
  await frame.locator('#check.good').waitFor()
  assert.match((await texts('check')) ?? '', /matches the whole stored text/)
  assert.equal(await frame.locator('mark').count(), 0)

  const unsafe = structuredClone(marked)
  unsafe.structuredContent.url = 'javascript:document.title="owned"'
  await bridge.sendToolResult(unsafe)
  await frame.locator('#open').waitFor({ state: 'hidden' })

  await bridge.sendToolResult(await world.show('o1', { q: 'no such words' }))
  await frame.locator('#state').waitFor()
  assert.match((await texts('state')) ?? '', /^query_not_found: /)

  const reached = await frame.evaluate(async () => {
    const { document, fetch } = globalThis as Loose
    const box = document.createElement('div')
    box.innerHTML = '<img src="https://evil.example/b.png" onerror="document.title=\'owned\'">'
    document.body.append(box)
    const inline = document.createElement('script')
    inline.textContent = 'document.title = "owned"'
    document.body.append(inline)
    const answer = await fetch('https://evil.example/c').then(
      () => 'reached',
      () => 'refused',
    )
    return { answer, title: document.title, secure: (globalThis as Loose).isSecureContext }
  })
  assert.deepEqual(reached, { answer: 'refused', title: 'Evidence', secure: true })
  assert.deepEqual(requests, ['https://host.example/', 'https://sandbox.example/'])
  assert.deepEqual(problems, [])
  assert.deepEqual(await bridge.teardownResource({}), {})
})

test('HO-10 a window other than the host cannot show a passage on the page', async () => {
  await using world = await evidence()
  await using profile = await newProfile()
  const { frame, bridge } = await AppHost.open(await profile.newPage(), world.html)
  const result = await world.show('o2', {})
  await frame.evaluate(params => {
    const data = { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params }
    ;(globalThis as Loose).postMessage(data, '*')
  }, result)
  bridge.setHostContext({ theme: 'dark' })
  await frame.locator('html[data-theme=dark]').waitFor({ state: 'attached' })
  assert.equal(await frame.locator('#state').textContent(), 'Waiting for the passage.')
})
