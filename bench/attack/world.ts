import { Client } from '../client.ts'
import { DECLARATION } from '../mail.ts'
import { seeded } from '../random.ts'
import { ServerMemory } from '../server-memory.ts'
import { type Processor, processorOf } from './processor.ts'

/** A running server to attack. */
export interface Target {
  url: string
  ownerToken: string
  pid: number
  /** Null if the server's own process does all the work. */
  databaseUrl: string | null
  /** Bytes that the data takes on disk. */
  size: () => Promise<number>
}

export interface Scale {
  records: number
  /** How long each attack lasts. */
  seconds: number
  /** How long another client may wait for a search of one word. */
  otherMs: number
  /** The number of requests in a flood, and of reads that are counted in the ledger. */
  requests: number
  /** The size of the one very long mail. */
  longMailBytes: number
}

/** The server, its attacker, and another client that must not be affected. */
export interface World extends Disposable {
  url: string
  scale: Scale
  connection: string
  owner: Client
  attacker: { token: string; client: Client }
  /** Gives access to only ten records of the stream. */
  narrow: Client
  other: Client
  memory: ServerMemory
  processor: Processor
  size: () => Promise<number>
}

const BATCH = 500
const SENDERS = 40
const COMMON_WORDS = 300
const RARE_WORDS = 30_000
const WORDS_IN_A_MAIL = 480
const LONG_PART = 'plain words of a long text '

export async function prepareWorld(target: Target, scale: Scale): Promise<World> {
  const owner = new Client(target.url, target.ownerToken)
  await owner.post('/v1/owner/declarations', DECLARATION)
  const made = await owner.post<{ connection_id: string }>('/v1/owner/connections', {
    source_id: DECLARATION.source.id,
    display_name: 'Mail',
  })
  const connection = made.connection_id
  for (let first = 0; first < scale.records; first += BATCH) {
    const count = Math.min(BATCH, scale.records - first)
    const lines = Array.from({ length: count }, (_, n) => `${JSON.stringify({ data: mail(first + n) })}\n`)
    await owner.ingest('messages', connection, Buffer.from(lines.join('')))
  }
  await owner.ingest('documents', connection, Buffer.from(documentLine('a'.repeat(1_000_000))))
  const long = {
    ...mail(scale.records),
    id: 'long',
    body: LONG_PART.repeat(scale.longMailBytes / LONG_PART.length),
  }
  await owner.ingest('messages', connection, Buffer.from(JSON.stringify({ data: long })))
  const tokenFor = async (client_name: string, more: object = {}): Promise<string> => {
    const request = { client_name, connections: [connection], ...more }
    return (await owner.post<{ access_token: string }>('/v1/owner/grants', request)).access_token
  }
  const token = await tokenFor('Attacker')
  const ids = Array.from({ length: 10 }, (_, n) => `messages:mail${n}`)
  const clients = {
    owner,
    attacker: { token, client: new Client(target.url, token, 8) },
    narrow: new Client(target.url, await tokenFor('Narrow', { streams: ['messages'], records: ids }), 8),
    other: new Client(target.url, await tokenFor('Other')),
  }
  return {
    url: target.url,
    scale,
    connection,
    ...clients,
    memory: new ServerMemory(target.pid),
    size: target.size,
    processor: processorOf(target.pid, target.databaseUrl),
    [Symbol.dispose]() {
      for (const client of [owner, clients.attacker.client, clients.narrow, clients.other])
        client[Symbol.dispose]()
    },
  }
}

/** A word of two syllables and a number of letters, the same for the same number. */
export function wordOf(number: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const first = letters[number % 26] ?? ''
  const second = letters[Math.floor(number / 26) % 26] ?? ''
  return `${first}${second}${(number * 7919).toString(36)}`
}

function mail(number: number): object {
  const random = seeded(number + 1)
  const words = Array.from({ length: WORDS_IN_A_MAIL }, () =>
    wordOf(random() < 0.7 ? Math.floor(random() * COMMON_WORDS) : Math.floor(random() * RARE_WORDS)),
  )
  return {
    id: `mail${number}`,
    subject: words.slice(0, 6).join(' '),
    from: `sender${number % SENDERS}@example.org`,
    body: words.join(' '),
    received_at: new Date(Date.UTC(2022, 0, 1) + number * 3_600_000).toISOString(),
  }
}

function documentLine(text: string): string {
  return JSON.stringify({ data: { id: 'repetitive', text, received_at: '2024-01-01T00:00:00Z' } })
}
