import { setTimeout as sleep } from 'node:timers/promises'
import type { AttackPart, Finding } from './part.ts'
import type { World } from './world.ts'

const READERS = 4
const LIST = '/v1/streams/messages/records'

/** Reads of every kind, including some that show nothing. */
const MIXED: readonly [path: string, init?: RequestInit][] = [
  [`${LIST}?limit=2`],
  [`${LIST}?where[from]=nobody&where[received_at][lt]=2022-01-02&fields=id`],
  [`${LIST}?changes_since=beginning&limit=1`],
  [`${LIST}?limit=x`],
  [`${LIST}/mail1`],
  [`${LIST}/mail1`, { method: 'HEAD' }],
  [`${LIST}/never`],
  [`${LIST}/mail1/field-window?field=body&q=a`, { headers: { 'If-None-Match': '*' } }],
  [`${LIST}/mail1/field-window?field=body&q=ostrich`, { method: 'HEAD' }],
  ['/v1/search?q=ostrich&windows=0'],
  ['/v1/streams/messages/aggregate'],
  [`/v1/blobs/sha256-${'0'.repeat(64)}`],
  ['/v1/streams'],
  ['/v1/schema'],
  ['/v1/streams/notes/records'],
  ['/v1/owner/disclosures'],
]

interface Made {
  access_token: string
  grants: { grant_id: string }[]
}

function grantTo({ owner, connection }: World, client_name: string): Promise<Made> {
  return owner.post<Made>('/v1/owner/grants', { client_name, connections: [connection] })
}

/** Every response to a client has its ledger line, and there is none after a revocation. */
export const ledgerAndRevoking: AttackPart = {
  name: 'ledger and revoking',
  run: async world => [await completeness(world), await revoking(world)],
}

async function completeness(world: World): Promise<Finding> {
  const { access_token } = await grantTo(world, 'Counted')
  const headers = { Authorization: `Bearer ${access_token}` }
  const answered = new Map<string, number>()
  const requests = Math.min(world.scale.requests, 10_000)
  let [sent, limited] = [0, 0]
  const read = async () => {
    while (sent < requests) {
      const [path, init] = MIXED[sent++ % MIXED.length] as (typeof MIXED)[number]
      const response = await fetch(world.url + path, { ...init, headers: { ...init?.headers, ...headers } })
      await response.arrayBuffer()
      if (response.status === 429) limited++
      else answered.set(response.headers.get('Request-Id') ?? '', response.status)
    }
  }
  await Promise.all(Array.from({ length: READERS }, read))
  const missing = new Map(answered)
  for (let cursor = ''; missing.size > 0; ) {
    const page = await world.owner.json<{
      data: { request_id: string; status: number }[]
      has_more: boolean
      next_cursor: string
    }>(`/v1/owner/disclosures?limit=100${cursor}`)
    for (const { request_id, status } of page.data)
      if (missing.get(request_id) === status) missing.delete(request_id)
    if (!page.has_more) break
    cursor = `&cursor=${page.next_cursor}`
  }
  return {
    what: 'mixed reads',
    figures: [
      ['requests', String(sent)],
      ['over the limit', String(limited)],
      ['statuses', [...new Set(answered.values())].sort().join(' ')],
      ['without a line', String(missing.size)],
    ],
    held: missing.size === 0 && answered.size > 0 && sent === answered.size + limited,
  }
}

async function revoking(world: World): Promise<Finding> {
  const rounds = Math.max(2, Math.min(50, Math.floor(world.scale.requests / 100)))
  let [before, after, late] = [0, 0, 0]
  for (let round = 0; round < rounds; round++) {
    const { access_token, grants } = await grantTo(world, `Revoked ${round}`)
    const headers = { Authorization: `Bearer ${access_token}` }
    let revoked = false
    const read = async () => {
      for (let left = 5; left > 0; ) {
        const begunAfter = revoked
        const response = await fetch(`${world.url}${LIST}?limit=1`, { headers })
        await response.arrayBuffer()
        if (!begunAfter) before++
        else {
          after++
          left--
          if (response.ok) late++
        }
      }
    }
    const reading = Array.from({ length: READERS }, read)
    await sleep(5 * (round % 5))
    for (const { grant_id } of grants)
      await world.owner.send(`/v1/owner/grants/${grant_id}`, { method: 'DELETE' })
    revoked = true
    await Promise.all(reading)
  }
  return {
    what: 'revoking while reading',
    figures: [
      ['rounds', String(rounds)],
      ['reads before', String(before)],
      ['reads after', String(after)],
      ['answered after', String(late)],
    ],
    held: late === 0 && after > 0,
  }
}
