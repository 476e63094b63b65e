import assert from 'node:assert/strict'
import { AuthorizationWorld } from './authorization-world.ts'
import { newProfile, signInOn } from './browser.ts'
import { onOneEngine } from './engines.ts'
import { message } from './mailbox.ts'

/** Markup, scripts, images from other servers, drawings, data URLs, and bidirectional text. */
const HOSTILE = [
  '<script>document.title="owned"</script>',
  '"><img src="https://tracker.example/p.gif" onerror="document.title=1">',
  '<svg onload="document.title=2"><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<iframe src="data:text/html,x"></iframe><style>*{display:none}</style>',
  '\u202Egnp.exe\u2066',
  "' onmouseover='x",
].join(' ')

onOneEngine(
  'hostile records run nothing on any page that shows them, in a browser with scripts',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection_id = await world.mailbox(HOSTILE.slice(0, 190), [])
    const line = message('m1', { subject: HOSTILE, from: HOSTILE, body: `treaty ${HOSTILE}` })
    await world.ingest('messages', connection_id, [line])
    const { access_token, client_id, grants } = await world.own('POST', '/v1/owner/grants', {
      client_name: HOSTILE.slice(0, 190),
    })
    await world.call('/v1/search?q=treaty', access_token)
    await world.own('POST', '/v1/owner/searches', { name: HOSTILE.slice(0, 190), query: 'q=treaty' })
    await world.own('POST', '/v1/owner/people', { name: HOSTILE.slice(0, 190), members: ['hostile', 'm1'] })
    await using profile = await newProfile({ viewport: { width: 390, height: 844 } })
    const page = await profile.newPage()
    const elsewhere: string[] = []
    page.on('request', request => {
      if (!request.url().startsWith(world.url)) elsewhere.push(request.url())
    })
    page.on('dialog', dialog => assert.fail(dialog.message()))
    await page.goto(world.url)
    await signInOn(page, world)
    const record = `/r/${connection_id}/messages/m1`
    const paths = [
      ...[
        '/',
        '/search',
        `/search?q=${encodeURIComponent(HOSTILE)}`,
        '/search?q=treaty',
        '/people',
        '/people/hostile',
      ],
      ...[
        `/search?q=treaty&as=${client_id}`,
        '/sources',
        `/sources/${connection_id}`,
        '/apps',
        `/apps/${client_id}`,
      ],
      ...[`/apps/${client_id}/${grants[0].grant_id}`, `/apps/remove?client=${client_id}`, '/activity'],
      ...[
        `/activity/${client_id}`,
        record,
        `${record}?find=treaty`,
        `${record}/readers`,
        '/settings/changes',
      ],
      '/?demo',
    ]
    for (const path of paths) {
      const response = await page.goto(world.url + path)
      assert.equal(response?.status(), 200, path)
      assert.match(await page.title(), / · Footnote$/, path)
      const made =
        'main script, main iframe, main style, main [onerror], main [onload], main [onmouseover], main img'
      assert.equal(await page.locator(made).count(), 0, path)
      assert.equal(await page.locator('a[href^="javascript:" i], a[href^="data:" i]').count(), 0, path)
    }
    assert.deepEqual(elsewhere, [])
    assert.deepEqual(world.failures, [])
  },
)
