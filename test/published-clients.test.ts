import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { Asking, AuthorizationWorld, decideOn, type Visitor } from './authorization-world.ts'
import { count, onEitherEngine, onOneEngine } from './engines.ts'
import { CHATGPT_KEYS, PUBLISHED_CLIENTS, type PublishedClient } from './published-clients.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const JWKS = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' }] }

/** Replaces the internet: the published documents of clients. */
const documents = (async (input: string) => {
  if (input === CHATGPT_KEYS) return Response.json(JWKS)
  const found = PUBLISHED_CLIENTS.find(({ document }) => document === input)
  assert.ok(found, `nothing is published at ${input}`)
  return Response.json({ client_id: input, ...found.metadata })
}) as typeof fetch

function assertion(client_id: string, audience: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: client_id, sub: client_id, aud: audience, jti: randomUUID(), iat: now, exp: now + 60 }
  const signed = `${part({ alg: 'RS256', kid: 'k1', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** How the client authenticates at the token endpoint. */
function proof(
  world: AuthorizationWorld,
  client: Registered,
): RequestInit & { fields: Record<string, string> } {
  const { client_id, client_secret = '', token_endpoint_auth_method } = client
  if (token_endpoint_auth_method === 'private_key_jwt') {
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const client_assertion = assertion(client_id, `${world.url}/oauth/token`)
    return { fields: { client_id, client_assertion_type, client_assertion } }
  }
  if (token_endpoint_auth_method === 'client_secret_post') return { fields: { client_id, client_secret } }
  if (token_endpoint_auth_method === 'none') return { fields: { client_id } }
  return { fields: {}, headers: { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` } }
}

interface Registered {
  client_id: string
  client_secret?: string
  token_endpoint_auth_method: string
}

async function identify(
  world: AuthorizationWorld,
  { document, metadata }: PublishedClient,
): Promise<Registered> {
  if (document)
    return { client_id: document, token_endpoint_auth_method: String(metadata.token_endpoint_auth_method) }
  const { status, body } = await world.register(metadata)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** From the authorization request to a read with a refreshed token. */
async function signIn(world: AuthorizationWorld, owner: Visitor, client: Registered, redirect_uri: string) {
  const asking = new Asking(world, client.client_id)
  const resource = `${world.url}/mcp`
  const page = await asking.open(owner, { redirect_uri, resource, scope: 'read' })
  assert.match(page.url, /\/oauth\/consent\//, page.html)
  const back = new URL((await decideOn(owner, page)).url)
  assert.equal(back.href.split('?')[0], redirect_uri)
  assert.equal(back.searchParams.get('state'), asking.state)
  assert.equal(back.searchParams.get('iss'), world.url)
  const token = async (parameters: Record<string, string>) => {
    const { fields, ...init } = proof(world, client)
    const body = new URLSearchParams({ ...parameters, ...fields, resource })
    const answer = await world.call('/oauth/token', null, { method: 'POST', ...init, body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const code = back.searchParams.get('code') ?? ''
  const grant_type = 'authorization_code'
  const first = await token({ grant_type, code, redirect_uri, code_verifier: asking.verifier })
  const { refresh_token } = first
  const later = await token({ grant_type: 'refresh_token', refresh_token })
  assert.equal((await world.call('/v1/schema', later.access_token)).status, 200)
}

onOneEngine('HO-8 clients sign in with the documents and URLs that hosts publish', async engine => {
  await using world = await AuthorizationWorld.start(engine, { fetch: documents })
  await world.mailbox('Work mail', ['m1'])
  const owner = await world.signedIn()
  for (const published of PUBLISHED_CLIENTS) {
    const client = await identify(world, published)
    const addresses = published.answeredAt ?? published.metadata.redirect_uris
    const most = engine === 'sqlite' ? addresses.length : count(1, addresses.length)
    for (const redirect_uri of addresses.slice(0, most))
      await signIn(world, owner, client, redirect_uri).catch(error => {
        throw new Error(`${published.host} at ${redirect_uri}`, { cause: error })
      })
  }
  assert.deepEqual(world.failures, [])
})

onEitherEngine('a published client without its key gets no token', async engine => {
  await using world = await AuthorizationWorld.start(engine, { fetch: documents })
  await world.mailbox('Work mail', ['m1'])
  const owner = await world.signedIn()
  const [chatgpt] = PUBLISHED_CLIENTS
  assert.ok(chatgpt?.document)
  const asking = new Asking(world, chatgpt.document)
  const [redirect_uri = ''] = chatgpt.metadata.redirect_uris
  const page = await asking.open(owner, { redirect_uri })
  const code = new URL((await decideOn(owner, page)).url).searchParams.get('code') ?? ''
  const { status, body } = await asking.redeem(code, { redirect_uri })
  assert.deepEqual([status, body.error], [401, 'invalid_client'])
})
