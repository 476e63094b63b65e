import assert from 'node:assert/strict'
import { Asking, AuthorizationWorld, REDIRECT } from './authorization-world.ts'
import { onEitherEngine, writable } from './engines.ts'

const STRANGER = 'http://stranger.example/cb'
const REFUSED = [
  STRANGER,
  'http://127.0.0.1.stranger.example/cb',
  'http://localhost.stranger.example/cb',
  'http://192.168.0.9/cb',
  'http://[::ffff:10.0.0.1]/cb',
  'ftp://stranger.example/cb',
  'ws://stranger.example/cb',
  'intent://stranger.example/cb',
  'mailto:someone@stranger.example',
  'view-source:http://stranger.example/cb',
  'jar:https://stranger.example/a!/cb',
  'ms-word:ofe|u|https://stranger.example/cb',
  'search-ms:crumb=location:stranger.example',
  'webcal://stranger.example/cb',
  'WEB+cal://stranger.example/cb',
  'vnc://stranger.example/cb',
  'ms-appinstaller:?source=https://stranger.example/cb',
  'itms-services://?action=download-manifest&url=https://stranger.example/cb',
]

onEitherEngine('no client can register an http URL on another computer, whatever its type', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  for (const application_type of ['web', 'native', undefined]) {
    for (const address of REFUSED) {
      const { status, body } = await world.register({ application_type, redirect_uris: [REDIRECT, address] })
      assert.equal(status, 400, `${application_type} ${address}`)
      assert.match(body.error, /^invalid_(redirect_uri|client_metadata)$/, address)
    }
  }
  for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:99']) {
    const redirect_uris = [`http://${host}/cb`]
    assert.equal((await world.register({ application_type: 'web', redirect_uris })).status, 201, host)
  }
})

onEitherEngine('a client document with an http URL on another computer is refused', async engine => {
  const client_id = 'https://app.example/client'
  const document = {
    client_id,
    client_name: 'Document app',
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    redirect_uris: [STRANGER],
  }
  const fetch = (async () => Response.json(document)) as typeof globalThis.fetch
  await using world = await AuthorizationWorld.start(engine, { fetch })
  const owner = await world.signedIn()
  const page = await new Asking(world, client_id).open(owner, { redirect_uri: STRANGER })
  assert.equal(page.status, 400)
  assert.equal(new URL(page.url).origin, world.url)
  assert.match(page.html, /http is allowed for loopback only/)
})

onEitherEngine('a stored client with an http URL on another computer cannot use it', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const redirect_uri = 'https://stranger.example/cb'
  const { body } = await world.register({ application_type: 'web', redirect_uris: [redirect_uri] })
  const asking = new Asking(world, body.client_id)
  const shown = await asking.open(owner, { redirect_uri })
  const parameters = Object.fromEntries(new URL(world.url + asking.url({ redirect_uri })).searchParams)
  assert.match(shown.html, /stranger\.example/)
  await writable(world.server.store).run(
    `UPDATE oauth_artifacts SET payload = replace(payload, 'https://stranger', 'http://stranger') WHERE model = 'Client'`,
  )
  const page = await asking.open(owner, { redirect_uri: STRANGER })
  assert.equal(page.status, 400)
  assert.match(page.html, /http is allowed for loopback only/)
  const pushed = await world.call('/oauth/par', null, {
    method: 'POST',
    body: new URLSearchParams({ ...parameters, redirect_uri: STRANGER }),
  })
  assert.equal(pushed.status, 400)
  const begun = await owner.get(new URL(shown.url).pathname)
  assert.equal(begun.status, 410)
  assert.doesNotMatch(begun.html, /name="csrf"/)
  assert.deepEqual(world.failures, [])
})

onEitherEngine('the consent page names the destination of every kind of address', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const destinations: [string, string][] = [
    ['https://stranger.example:8443/cb', 'stranger.example:8443'],
    ['http://127.0.0.1:33333/callback', 'this computer (127.0.0.1:33333)'],
    ['http://localhost:33333/callback', 'this computer (localhost:33333)'],
    [
      'com.example.app:/cb?x=1',
      'whatever opens com.example.app: addresses on this device (com.example.app:/cb?x=1)',
    ],
  ]
  for (const [redirect_uri, said] of destinations) {
    const { body } = await world.register({ redirect_uris: [redirect_uri] })
    const { html } = await new Asking(world, body.client_id).open(owner, { redirect_uri })
    assert.equal(/<dt>The answer goes to<\/dt><dd>(.*?)<\/dd>/.exec(html)?.[1], said)
  }
})

onEitherEngine('a redirect URI with a name or password in it cannot be registered', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  for (const start of [
    'https://user:pw@',
    'https://app.example@',
    'https://:pw@',
    'com.example.app://user@',
  ]) {
    const { status, body } = await world.register({ redirect_uris: [`${start}stranger.example/cb`] })
    assert.equal(status, 400, start)
    assert.equal(body.error, 'invalid_redirect_uri')
    assert.match(body.error_description, /redirect_uris must not contain a user name or password/)
  }
})

onEitherEngine('the consent page shows hosts in ASCII, so that none can imitate another', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const destinations: [string, string][] = [
    ['https://\u0430pple.example/cb', 'xn--pple-43d.example'],
    ['https://xn--pple-43d.example/cb', 'xn--pple-43d.example'],
    [
      'com.example.app://\u0430pple.example/cb',
      'whatever opens com.example.app: addresses on this device (com.example.app://%D0%B0pple.example/cb)',
    ],
  ]
  for (const [redirect_uri, said] of destinations) {
    const { body } = await world.register({ redirect_uris: [redirect_uri] })
    const { html } = await new Asking(world, body.client_id).open(owner, { redirect_uri })
    assert.equal(/<dt>The answer goes to<\/dt><dd>(.*?)<\/dd>/.exec(html)?.[1], said)
    assert.doesNotMatch(html, /\u0430pple/)
  }
})

onEitherEngine('only the port of a loopback address may differ from the registered one', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  await world.mailbox('Work mail')
  const owner = await world.signedIn()
  const asked: [registered: string, used: string, status: number][] = [
    ['http://127.0.0.1:1111/cb', 'http://127.0.0.1:2222/cb', 200],
    ['http://localhost/cb', 'http://localhost:2222/cb', 200],
    ['http://[::1]:1111/cb', 'http://[::1]:2222/cb', 200],
    ['http://127.0.0.1:1111/cb', 'http://127.0.0.1:2222/other', 400],
    ['http://127.0.0.1:1111/cb', 'http://localhost:1111/cb', 400],
    ['http://127.0.0.1:1111/cb', 'http://user:pw@127.0.0.1:1111/cb', 400],
    ['http://localhost:1111/cb', 'http://localhost.stranger.example:1111/cb', 400],
    ['https://app.example/cb', 'https://app.example:8443/cb', 400],
    ['https://localhost.example:1111/cb', 'https://localhost.example:2222/cb', 400],
    ['https://app.example/cb', 'https://user:pw@app.example/cb', 400],
  ]
  for (const [registered, redirect_uri, status] of asked) {
    const { body } = await world.register({ redirect_uris: [registered] })
    const page = await new Asking(world, body.client_id).open(owner, { redirect_uri })
    assert.equal(page.status, status, `${registered} ${redirect_uri}`)
  }
})
