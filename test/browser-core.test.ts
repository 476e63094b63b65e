import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { AuthorizationWorld } from './authorization-world.ts'
import { newProfile, signInOn } from './browser.ts'
import { onEitherEngine } from './engines.ts'
import { OAuthApp } from './oauth-app.ts'
import { TRAIL_LOG } from './trail-log.ts'

const HIKES = [
  { id: 'h1', started_at: '2025-12-31T23:00:00Z', distance_km: 5, notes: 'Before the range' },
  { id: 'h2', started_at: '2026-01-01T00:00:00Z', distance_km: 12.5, notes: 'Blister on the left heel' },
  { id: 'h3', started_at: '2026-03-01T08:00:00Z', distance_km: 8, notes: null },
]
const PHOTOS = [{ id: 'p1', hike_id: 'h2', caption: 'The ridge', original: { secret: 'hush' } }]

async function trailLog(world: AuthorizationWorld): Promise<string> {
  const connection_id = await world.addSource(TRAIL_LOG, 'My boots')
  for (const [stream, rows] of Object.entries({ hikes: HIKES, photos: PHOTOS }))
    await world.ingest(
      stream,
      connection_id,
      rows.map(data => ({ data })),
    )
  return connection_id
}

const DISPLAY = {
  name: 'Blister Forecast',
  uri: 'https://blister.example',
  policy_uri: 'https://blister.example/privacy',
}

const detailFor = (connection_id: string) => ({
  type: 'https://pdpp.dev/data-access',
  source: { id: TRAIL_LOG.source.id, kind: 'connector' },
  purpose_code: 'https://pdpp.dev/purpose/analytics',
  purpose_description: 'Work out which boots give you blisters',
  access_mode: 'continuous',
  retention: { max_duration: 'P30D', on_expiry: 'delete' },
  streams: [
    { name: 'hikes', fields: ['id', 'distance_km'], time_range: { since: '2026-01-01T00:00:00Z' } },
    { name: 'photos', necessity: 'optional', instance_ids: [connection_id], view: 'thumbnails' },
  ],
  client_claims: { commitments: ['Nobody but you sees the result.'] },
})

/** The visible text of the page, by `data-class` attribute. */
async function classesOf(page: Page): Promise<Record<string, string>> {
  const parts = await page.locator('[data-class]').all()
  const told: Record<string, string> = {}
  for (const part of parts) {
    const name = (await part.getAttribute('data-class')) ?? ''
    told[name] = `${told[name] ?? ''}${await part.innerText()}\n`
  }
  return told
}

onEitherEngine(
  'PC-1 PC-15 PC-17 PC-20 PC-21 PC-23 PC-24 PC-39 PC-44 PC-58 PC-59 PC-61: the example request of PDPP Core, from the pushed request to its end, in a real browser',
  async engine => {
    await using world = await AuthorizationWorld.start(engine)
    const connection_id = await trailLog(world)
    const post = (path: string, body: URLSearchParams) => world.call(path, null, { method: 'POST', body })
    await using app = await OAuthApp.start(world.url)
    const redirect_uri = app.redirectUrl
    const { client_id } = (await world.register({ client_name: undefined, redirect_uris: [redirect_uri] }))
      .body
    const verifier = randomBytes(32).toString('base64url')
    const pushed = await post(
      '/oauth/par',
      new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        client_display: JSON.stringify(DISPLAY),
        authorization_details: JSON.stringify([detailFor(connection_id)]),
      }),
    )
    assert.equal(pushed.status, 201, JSON.stringify(pushed.body))

    await using profile = await newProfile()
    const page = await profile.newPage()
    const query = new URLSearchParams({ client_id, request_uri: pushed.body.request_uri })
    await page.goto(`${world.url}/oauth/authorize?${query}`)
    await signInOn(page, world)
    await page.getByRole('heading', { name: 'Let Blister Forecast read this?' }).waitFor()
    const told = await classesOf(page)
    assert.deepEqual(Object.keys(told).sort(), ['claims', 'enforced', 'identity', 'policy', 'publisher'])
    assert.match(told.identity ?? '', /Blister Forecast\s+not verified/)
    assert.match(told.enforced ?? '', /“Started at” is on or after 1 January 2026/)
    assert.match(told.policy ?? '', /“Work out which boots give you blisters”[\s\S]*deleted within 30 days/)
    assert.match(
      told.publisher ?? '',
      /No heart rate\. \(description of all fields, by https:\/\/sources\.example\/\)/,
    )
    assert.match(told.claims ?? '', /Blister Forecast says[\s\S]*Nobody but you sees the result/)
    for (const name of ['identity', 'enforced', 'policy', 'publisher'])
      assert.doesNotMatch(told[name] ?? '', /Nobody but you/, name)
    assert.doesNotMatch(await page.content(), /Blister on the left heel|hush/)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('You can close this page.').waitFor()
    const code = new URL(page.url()).searchParams.get('code') ?? ''

    const { status, body: tokens } = await world.token({
      ...{ grant_type: 'authorization_code', code, redirect_uri, client_id },
      code_verifier: verifier,
    })
    assert.equal(status, 200, JSON.stringify(tokens))
    const streams = [
      {
        name: 'hikes',
        instance_ids: [connection_id],
        fields: ['id', 'started_at', 'distance_km'],
        time_constraint: { field: 'started_at', since: '2026-01-01T00:00:00Z' },
      },
      { name: 'photos', instance_ids: [connection_id], fields: ['id', 'caption'] },
    ]
    assert.deepEqual(tokens.authorization_details[0].streams, streams)

    const read = async (stream: string) => world.call(`/v1/streams/${stream}/records`, tokens.access_token)
    const data = async (stream: string) =>
      (await read(stream)).body.data.map((record: { data: unknown }) => record.data)
    const hikes = HIKES.slice(1).map(({ notes: _, ...hike }) => hike)
    assert.deepEqual(new Set(await data('hikes')), new Set(hikes))
    assert.deepEqual(await data('photos'), [{ id: 'p1', caption: 'The ridge' }])
    assert.deepEqual((await read('legs')).body.error.code, 'grant_stream_not_allowed')

    const asked = new URLSearchParams({ token: tokens.access_token, client_id })
    const { body: facts } = await post('/oauth/introspect', asked)
    assert.deepEqual([facts.active, facts.pdpp_token_kind, facts.client_id], [true, 'client', client_id])
    assert.deepEqual(facts.authorization_details[0].streams, streams)
    assert.deepEqual(facts.authorization_details[0].retention, { max_duration: 'P30D', on_expiry: 'delete' })
    assert.ok(!JSON.stringify(facts).includes('Nobody but you'), 'claims are not part of the rights')
    const { grant } = (await world.call(`/v1/owner/grants/${facts.grant_id}`)).body
    assert.deepEqual(grant.client, { client_id, client_display: { name: DISPLAY.name } })
    assert.deepEqual([grant.streams, grant.source], [streams, TRAIL_LOG.source])

    await page.goto(`${world.url}/apps`)
    await page.getByRole('link', { name: 'Remove' }).first().click()
    await page.getByRole('button', { name: 'Remove access' }).click()
    await page.getByText('No app can read anything').waitFor()
    const ended = await read('hikes')
    assert.deepEqual([ended.status, ended.body.error.code], [403, 'grant_revoked'])
    assert.deepEqual((await post('/oauth/introspect', asked)).body, { active: false })
    assert.deepEqual(world.failures, [])
  },
)
