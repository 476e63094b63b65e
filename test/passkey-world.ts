import assert from 'node:assert/strict'
import { AuthorizationWorld, type PageVisit, type Visitor } from './authorization-world.ts'
import { freePort } from './free-port.ts'
import type { Engine } from './places.ts'
import { type Dishonest, type PasskeyOptions, SoftwareAuthenticator } from './software-authenticator.ts'

/** A server with a host name, because browsers create no passkeys for an IP address. */
export async function passkeyWorld(engine: Engine): Promise<AuthorizationWorld> {
  const port = await freePort()
  return AuthorizationWorld.start(engine, { port, publicUrl: `http://localhost:${port}` })
}

/** What the page requests from the browser. */
export function optionsOf({ html }: PageVisit): PasskeyOptions {
  const found = /data-passkey="([^"]+)"/.exec(html)?.[1] ?? assert.fail('the page asks for no passkey')
  return JSON.parse(found.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

export async function addPasskey(owner: Visitor, world: AuthorizationWorld): Promise<SoftwareAuthenticator> {
  const device = new SoftwareAuthenticator(world.url)
  const page = await owner.get('/settings/passkeys')
  const credential = device.create(optionsOf(page))
  const done = await owner.submit(page, { name: 'My <phone>', credential })
  assert.match(done.html, /The passkey was added/)
  return device
}

/** Opens the page, lets the device answer and submits the answer. */
export async function signInWith(
  visitor: Visitor,
  device: SoftwareAuthenticator,
  changes: Dishonest = {},
): Promise<PageVisit> {
  const page = await visitor.get('/sign-in/passkey?return_to=%2Fapps')
  return visitor.submit(page, { credential: device.get(optionsOf(page), changes) })
}
