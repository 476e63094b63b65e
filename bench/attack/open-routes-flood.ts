import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AttackPart } from './part.ts'

interface Flood {
  /** Where the server listens. */
  url: string
  client_id: string
  requests: number
  /** A loopback address that represents another computer. */
  from: string
}

export interface Flooded {
  /** How many responses had each status. */
  statuses: Record<string, number>
  seconds: number
}

const MOST_GROWTH = 20_000_000
const STRANGER = '127.0.0.2'
const AT_ONCE = 32
const GRANT_TYPES = ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code']
const CALLBACK = 'http://127.0.0.1:33333/callback'

/** Calls the OAuth endpoints without a token, as fast as the server answers. */
export async function floodOpenRoutes(flood: Flood): Promise<Flooded> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, localAddress: flood.from })
  const begun = performance.now()
  const statuses: Record<string, number> = {}
  let next = 0
  const work = async () => {
    while (next < flood.requests) {
      const status = await ask(flood, agent, next++)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  agent.destroy()
  return { statuses, seconds: (performance.now() - begun) / 1000 }
}

function ask({ url, client_id }: Flood, agent: Agent, n: number): Promise<number> {
  const [method, path, type, body] = shapes(client_id)[n % 5] as [string, string, string, string]
  const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const asked = request(
      url + path,
      { method, headers: method === 'GET' ? {} : headers, agent },
      response => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    asked.on('error', reject).end(method === 'GET' ? undefined : body)
  })
}

/** Every request that stores something, as large as allowed. */
function shapes(client_id: string): [string, string, string, string][] {
  const form = 'application/x-www-form-urlencoded'
  const asked = new URLSearchParams({
    ...{ client_id, response_type: 'code', redirect_uri: CALLBACK },
    ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256', state: 's'.repeat(12_000) },
  })
  const app = { client_name: 'Flood', redirect_uris: [CALLBACK] }
  const contacts = Array.from({ length: 500 }, (_, n) => `someone-${n}@app.example`)
  return [
    ['POST', '/oauth/par', form, String(asked)],
    ['GET', `/oauth/authorize?${asked}`, '', ''],
    ['POST', '/oauth/register', 'application/json', JSON.stringify({ ...app, contacts })],
    ['POST', '/oauth/device_authorization', form, String(new URLSearchParams({ client_id }))],
    ['GET', '/oauth/device', '', ''],
  ]
}

/** A stranger sends requests as fast as it can, while an app at another address registers, and again afterwards. */
export const openRoutesFlood: AttackPart = {
  name: 'flood without tokens',
  async run({ url, size, other, scale }) {
    let [registered, lockedOut, running] = [0, 0, true]
    const register = async (): Promise<string> => {
      const { client_id } = await registerApp(url)
      if (client_id === undefined) lockedOut++
      else registered++
      return client_id ?? ''
    }
    const client_id = await register()
    const before = await size()
    const keepRegistering = async () => {
      while (running) {
        await register()
        await other.send('/v1/schema')
        await sleep(Math.min(1_100, scale.requests))
      }
    }
    const registering = keepRegistering()
    const { requests } = scale
    const { statuses, seconds } = await floodOpenRoutes({ url, client_id, requests, from: STRANGER })
    running = false
    await registering
    await register()
    const grown = (await size()) - before
    const failed = Object.entries(statuses).reduce((sum, [status, n]) => sum + (status < '500' ? 0 : n), 0)
    return [
      {
        what: `/oauth/* from ${STRANGER}`,
        figures: [
          ['requests', String(requests)],
          ['seconds', seconds.toFixed(0)],
          ['refused', String(statuses[429] ?? 0)],
          ['failed', String(failed)],
          ['growth', `${(grown / 1_000_000).toFixed(1)} MB`],
          ['others registered', String(registered)],
          ['locked out', String(lockedOut)],
        ],
        held: failed === 0 && grown < MOST_GROWTH && lockedOut === 0,
      },
    ]
  },
}

async function registerApp(url: string): Promise<{ client_id?: string }> {
  const body = JSON.stringify({ client_name: 'App', redirect_uris: [CALLBACK], grant_types: GRANT_TYPES })
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${url}/oauth/register`, { method: 'POST', headers, body })
  return (await response.json()) as { client_id?: string }
}
