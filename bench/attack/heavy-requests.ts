import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_SEARCH_CHARS } from '../../src/model/search/search-query.ts'
import type { AttackPart, Finding } from './part.ts'
import { type World, wordOf } from './world.ts'

/** One client token, 30,000 records. */
const MOST_PROCESSOR_S = 2
const MOST_MEGABYTES = 200

interface Heavy {
  what: string
  path: string
  as?: 'narrow'
  /** A tool and its arguments, for /mcp. */
  call?: { name: string; arguments: Record<string, unknown> }
}

const words = (count: number, from = 0) => Array.from({ length: count }, (_, n) => wordOf(from + n))
const query = (q: string) => `q=${encodeURIComponent(q.slice(0, MAX_SEARCH_CHARS))}`
const FILTER = 'streams=messages&where[from]=sender1%40example.org'

function requests({ connection }: World): Heavy[] {
  const prefixes = words(176).map(word => `${word.slice(0, 2)}*`)
  const record = encodeURIComponent(`${connection}/messages:long`)
  const window = '/v1/streams/documents/records/repetitive/field-window?field=text'
  return [
    { what: '176 prefixes', path: `/v1/search?${query(prefixes.join(' '))}` },
    { what: '16 prefixes', path: `/v1/search?${query(prefixes.slice(0, 16).join(' '))}` },
    { what: '16 prefixes, filtered', path: `/v1/search?${query(prefixes.slice(0, 16).join(' '))}&${FILTER}` },
    { what: 'one prefix of two letters', path: `/v1/search?${query(prefixes[0] ?? '')}` },
    { what: '200 common words', path: `/v1/search?${query(words(200).join(' '))}` },
    { what: '200 common words, filtered', path: `/v1/search?${query(words(200).join(' '))}&${FILTER}` },
    { what: '20 words, filtered', path: `/v1/search?${query(words(20).join(' '))}&${FILTER}` },
    { what: '200 rare words', path: `/v1/search?${query(words(200, 20_000).join(' '))}` },
    {
      what: '16 phrases',
      path: `/v1/search?${query(
        words(16)
          .map((word, n) => `"${word} ${wordOf(n + 20)}"`)
          .join(' '),
      )}`,
    },
    {
      what: 'a phrase of common words',
      path: `/v1/search?${query(`"${words(3).join(' ')}"`)}`,
    },
    {
      what: '100 exclusions',
      path: `/v1/search?${query(
        `${wordOf(1)} ${words(100, 20_000)
          .map(word => `-${word}`)
          .join(' ')}`,
      )}`,
    },
    {
      what: '30 excluded phrases',
      path: `/v1/search?${query(
        `${wordOf(1)} ${words(30)
          .map((word, n) => `-"${word} ${wordOf(n + 9)}"`)
          .join(' ')}`,
      )}`,
    },
    { what: 'every match in a long text', path: `/v1/search?q=absentword&record=${record}` },
    { what: 'a literal in a repetitive text', path: `${window}&q=${'a'.repeat(998)}b` },
    { what: 'groups by sender', path: '/v1/streams/messages/aggregate?metric=count&group_by=from' },
    {
      what: 'a list that a filter empties',
      path: '/v1/streams/messages/records?where[from]=nobody',
    },
    {
      what: 'counts with a filter',
      path: '/v1/streams/messages/aggregate?metric=count&where[from]=nobody',
    },
    { what: 'the newest of 200 words', path: `/v1/search?${query(words(200).join(' '))}&sort=newest` },
    { what: 'the newest of two common words', path: `/v1/search?${query(words(2).join(' '))}&sort=newest` },
    {
      what: 'a person who is nobody, in a search',
      path: `/v1/search?${query(words(20).join(' '))}&person=nobody`,
    },
    { what: 'a person who is nobody, in all records', path: '/v1/records?person=nobody' },
    {
      what: 'counts by words, sender and month',
      path: `/v1/streams/messages/aggregate?metric=count&${query(words(2).join(' '))}&group_by_time=received_at&granularity=month&split_by=from`,
    },
    {
      what: 'a search over MCP',
      path: '/mcp',
      call: { name: 'search', arguments: { query: words(60).join(' '), limit: 25 } },
    },
    {
      what: 'a list over MCP',
      path: '/mcp',
      call: { name: 'query_records', arguments: { person: 'nobody', limit: 100 } },
    },
    {
      what: 'changes under a narrow grant',
      path: '/v1/streams/messages/records?changes_since=beginning',
      as: 'narrow',
    },
  ]
}

/** The most expensive requests possible, and how they affect another client. */
export const heavyRequests: AttackPart = {
  name: 'heavy requests',
  async run(world) {
    const [search] = words(1, 25_000)
    await world.other.send(`/v1/search?q=${search}`)
    const findings: Finding[] = []
    for (const heavy of requests(world)) {
      process.stderr.write(`  ${heavy.what}\n`)
      findings.push(await attack(world, heavy, `/v1/search?q=${search}`))
    }
    return findings
  },
}

async function attack(world: World, { what, path, as, call }: Heavy, search: string): Promise<Finding> {
  const client = as === 'narrow' ? world.narrow : world.attacker.client
  const until = performance.now() + world.scale.seconds * 1_000
  const felt: number[] = []
  let [sent, refused, failed, running] = [0, 0, 0, true]
  const before = await world.processor()
  const send = async () => {
    do {
      sent++
      await client.send(path, call && toolCall(call)).catch((error: Error) => {
        if (/: 4\d\d, not/.test(error.message)) refused++
        else failed++
      })
    } while (performance.now() < until)
  }
  const feel = async () => {
    do {
      felt.push((await world.other.send(search)).ms)
      await sleep(5)
    } while (running)
  }
  const grown = await world.memory.growth(async () => {
    const feeling = feel()
    await Promise.all([send(), send()])
    running = false
    await feeling
  })
  const own = felt.length * (await costOfSearch(world, search))
  const each = Math.max(0, (await world.processor()) - before - own) / sent
  const p99 = felt.sort((a, b) => a - b)[Math.ceil(felt.length * 0.99) - 1] ?? 0
  return {
    what,
    figures: [
      ['requests', String(sent)],
      ['refused', String(refused)],
      ['failed', String(failed)],
      ['processor', `${each.toFixed(2)} s`],
      ['memory', grown === null ? '–' : `${Math.round(grown)} MB`],
      ['other searches', String(felt.length)],
      ['their p99', `${Math.round(p99)} ms`],
    ],
    held:
      failed === 0 &&
      each <= MOST_PROCESSOR_S &&
      (grown ?? 0) <= MOST_MEGABYTES &&
      p99 <= world.scale.otherMs,
  }
}

function toolCall(params: NonNullable<Heavy['call']>) {
  return {
    method: 'POST',
    type: 'application/json',
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })),
    headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
  }
}

let cost: number | null = null

/** Processor seconds of one search of the other client. */
async function costOfSearch({ other, processor }: World, search: string): Promise<number> {
  if (cost !== null) return cost
  const before = await processor()
  for (let n = 0; n < 50; n++) await other.send(search)
  cost = ((await processor()) - before) / 50
  return cost
}
