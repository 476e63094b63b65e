import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Asking, AuthorizationWorld, REDIRECT } from '../../../test/authorization-world.ts'
import type { Fuzzer } from './fuzzer.ts'
import { mutated, nasty } from './mutation.ts'

interface Asked {
  path: string
  method: 'GET' | 'POST'
  /** A form, or JSON for registrations. */
  type: 'application/x-www-form-urlencoded' | 'application/json'
  fields: [string, string][]
}

/** Requests to every URL of OAuth and sign-in: a page or an OAuth error, and nobody gets a token. */
export const oauth: Fuzzer<Asked> = {
  name: 'oauth',
  async start() {
    const world = await AuthorizationWorld.start('sqlite')
    await world.mailbox('Mail')
    const { client_id, refresh_token } = await world.connect(await world.signedIn())
    const authorize = new URL(new Asking(world, client_id).url(), world.url).searchParams
    const known: Record<string, string> = {
      ...Object.fromEntries(authorize),
      ...{
        client_id,
        grant_type: 'authorization_code',
        code: 'abc',
        redirect_uri: REDIRECT,
        resource: `${world.url}/mcp`,
      },
      ...{
        code_verifier: 'x'.repeat(43),
        token: 'abc',
        scope: 'pdpp',
        prompt: 'consent',
        link: 'abc',
        passphrase: 'abc',
      },
      ...{
        client_name: 'App',
        redirect_uris: REDIRECT,
        authorization_details: '[{"type":"pdpp"}]',
        request: 'e30.e30.',
      },
    }
    const paths = [
      ...['/oauth/authorize', '/oauth/token', '/oauth/register', '/oauth/revoke', '/sign-in', '/oauth/par'],
      ...[
        '/.well-known/oauth-authorization-server',
        '/.well-known/oauth-protected-resource/mcp',
        '/oauth/consent/x',
      ],
    ]
    const field = fc
      .constantFrom(...Object.entries(known))
      .chain(([name, value]) => fc.tuple(mutated([name, name, name], 1), mutated([value, value])))
    return {
      input: fc.record({
        path: fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(...paths) },
          { weight: 1, arbitrary: mutated(paths, 2) },
        ),
        method: fc.constantFrom('GET', 'POST'),
        type: fc.constantFrom('application/x-www-form-urlencoded', 'application/json'),
        fields: fc.array(fc.oneof(field, fc.tuple(nasty, nasty)), { maxLength: 10 }),
      }),
      async check({ path, method, type, fields }) {
        const form = new URLSearchParams(
          fields.map(([name, value]): [string, string] => [name.toWellFormed(), value.toWellFormed()]),
        )
        const url = URL.parse(path.toWellFormed(), world.url)
        // A changed path may name another host.
        if (url?.host !== new URL(world.url).host) return
        if (method === 'GET') url.search = form.toString()
        const json = JSON.stringify(Object.fromEntries(fields))
        const response = await fetch(url, {
          method,
          redirect: 'manual',
          headers: method === 'POST' ? { 'Content-Type': type } : {},
          ...(method === 'POST' && { body: type === 'application/json' ? json : form.toString() }),
        })
        const answer = await response.text()
        assert.ok(response.status < 500, `${response.status} ${answer.slice(0, 300)}`)
        assert.ok(!/"access_token"/.test(answer), 'a token')
        assert.ok(!answer.includes(refresh_token), 'a secret')
        const to = response.headers.get('Location')
        // Errors are sent to the app only at its own address.
        if (to !== null && new URL(to, world.url).host !== new URL(world.url).host)
          assert.ok(to.startsWith(REDIRECT), to)
        assert.deepEqual(world.failures, [])
      },
      [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
    }
  },
}
