import assert from 'node:assert/strict'
import { CHATGPT } from '../src/importers/chatgpt/declaration.ts'
import { SLACK } from '../src/importers/slack/declaration.ts'
import type { Allowance } from '../src/store/budget/budget.ts'
import { count, type Engine, onEachEngine } from './engines.ts'
import { Random } from './random.ts'
import { differences } from './twin-answers.ts'
import { type StillServer, StoreTemplate } from './twin-servers.ts'

/** Names of sources, names with a number, words that begin alike, misspelt words, and words of names. */
const WORDS =
  `slack chatgpt messages il6 il 6 gpt4 gpt 4 walrus walrusses walked walking project projects harbour
  harbor snow show receive recieve report reported ada lovelace the of question?`.split(/\s+/)
/** The same, and words that no visible record contains: one is a misspelling that queries have, too. */
const HIDDEN_WORDS = [...WORDS, 'projet', 'quokka']
const PEOPLE = ['Ada Lovelace', 'Grace Hopper', 'Slack Bot']
/** The client can see records from this day on. */
const SINCE = '2026-02-01T00:00:00Z'
const at = (minutes: number) => new Date(Date.parse(SINCE) + minutes * 60_000).toISOString()

/** More visible records than make words that begin alike needless. */
const VISIBLE = 260
const HIDDEN = 60
/** Visible records that are added after the hidden ones. */
const LATER = 60
const REQUESTS = 40

interface Stream {
  declaration: { source: { id: string } }
  name: string
  /** What the client may see. The last field of the data is never among them. */
  fields: string[]
  data(random: Random, id: string, minutes: number, words: string[]): Record<string, unknown>
}

const textOf = (random: Random, most: number, words = WORDS) =>
  Array.from({ length: random.integer(1, most) }, () => random.pick(words)).join(' ')

const STREAMS: readonly Stream[] = [
  {
    declaration: SLACK,
    name: 'slack_messages',
    fields: ['id', 'text', 'sender', 'channel', 'thread_id', 'sent_at'],
    data: (random, id, minutes, words) => ({
      id,
      text: textOf(random, 12, words),
      sender: random.pick(PEOPLE),
      channel: random.pick(['general', 'harbour']),
      thread_id: random.chance(0.5) ? `t${random.integer(1, 9)}` : null,
      sent_at: at(minutes),
      quoted: [textOf(random, 5, words)],
    }),
  },
  {
    declaration: CHATGPT,
    name: 'chatgpt_messages',
    fields: ['id', 'text', 'conversation_id', 'role', 'author', 'created_at', 'position', 'is_shown'],
    data: (random, id, minutes, words) => ({
      id,
      text: textOf(random, 12, words),
      conversation_id: `c${random.integer(1, 9)}`,
      role: 'user',
      author: random.pick(PEOPLE),
      created_at: at(minutes),
      position: random.integer(0, 99),
      is_shown: random.chance(0.8),
      conversation_title: textOf(random, 3, words),
    }),
  },
]

interface Prepared {
  connections: string[]
  /** The lines of the visible records of each connection. */
  visible: Record<string, unknown>[][]
  token: string
}

async function prepare(server: StillServer, random: Random): Promise<Prepared> {
  const prepared: Prepared = { connections: [], visible: [], token: '' }
  const ids: string[] = []
  for (const { declaration, name, fields, data } of STREAMS) {
    const connection_id = await server.connect(declaration, name)
    const lines = Array.from({ length: VISIBLE }, (_, no) =>
      data(random, `v${no}`, random.integer(0, 3_000), WORDS),
    )
    await server.ingest(name, connection_id, lines.map(line))
    prepared.connections.push(connection_id)
    prepared.visible.push(lines)
    const grant = { client_name: 'Client', connections: [connection_id], streams: [name], since: SINCE }
    const { grants } = await server.own('POST', '/v1/owner/grants', { ...grant, fields })
    ids.push(...grants.map(({ grant_id }: { grant_id: string }) => grant_id))
  }
  const { owner_id, writer } = server.store
  prepared.token = await writer.call('createClientToken', { owner_id, grant_ids: ids, now: at(0) })
  return prepared
}

const line = (data: Record<string, unknown>) => ({ data, emitted_at: at(9_000) })

/** Adds records of an earlier time, in the same conversations, and changes hidden fields of visible records. */
async function changeHidden(server: StillServer, random: Random, { connections, visible }: Prepared) {
  for (const [i, { name, fields, data }] of STREAMS.entries()) {
    const connection = connections[i] ?? ''
    const earlier = Array.from({ length: HIDDEN }, (_, no) =>
      data(random, `h${no}`, -random.integer(1, 3_000), HIDDEN_WORDS),
    )
    const changed = (visible[i] ?? []).map((before): Record<string, unknown> => {
      const hidden = Object.entries(data(random, '', 0, HIDDEN_WORDS)).filter(
        ([field]) => !fields.includes(field),
      )
      return { ...before, ...Object.fromEntries(hidden) }
    })
    await server.ingest(name, connection, [...earlier, ...changed].map(line))
  }
}

function request(random: Random, { connections }: Prepared): string {
  const query =
    textOf(random, 5) +
    random.pick(['', ' from:ada', ' in February', ' "il 6"', ' walk*', ' projet', ' quokka'])
  const q = `q=${encodeURIComponent(query)}`
  const no = random.integer(0, STREAMS.length - 1)
  const [{ name } = { name: '' }, connection] = [STREAMS[no], connections[no]]
  const record = `v${random.integer(0, VISIBLE - 1)}`
  return random.pick([
    `/v1/search?${q}&limit=100`,
    `/v1/search?${q}&limit=5`,
    `/v1/search?${q}&streams=${name}&sort=newest`,
    `/v1/search?${q}&record=${encodeURIComponent(`${connection}/${name}:${record}`)}`,
    `/v1/streams/${name}/aggregate?${q}&group_by=${name === 'slack_messages' ? 'channel' : 'author'}`,
    `/v1/streams/${name}/records/${record}/conversation?connection_id=${connection}`,
  ])
}

/** A store, and its copy with other hidden records in between, answer the same to random requests. */
async function compareTwins(
  engine: Engine,
  seed: number,
  requestOf: (random: Random, prepared: Prepared) => string,
  allowance?: Partial<Allowance>,
): Promise<void> {
  const random = new Random(seed)
  const { template, prepared } = await StoreTemplate.prepare(engine, server => prepare(server, random))
  await using _ = template
  await using plain = await template.open(allowance)
  await using secret = await template.open(allowance)
  await changeHidden(secret, random, prepared)
  for (const [i, { name, data }] of STREAMS.entries()) {
    const later = Array.from({ length: LATER }, (_, no) =>
      line(data(random, `w${no}`, random.integer(0, 3_000), WORDS)),
    )
    for (const server of [plain, secret]) await server.ingest(name, prepared.connections[i] ?? '', later)
  }
  for (let no = 0; no < REQUESTS; no++) {
    const path = requestOf(random, prepared)
    const [one, other] = [await plain.ask(path, prepared.token), await secret.ask(path, prepared.token)]
    assert.deepEqual(differences(one, other), [], `seed ${seed}: ${decodeURIComponent(path)}`)
    assert.equal(one.status, 200, one.text)
  }
  assert.deepEqual([plain.failures, secret.failures], [[], []])
}

onEachEngine(
  'RS-5 names of sources, spellings and neighbours come from visible records only',
  async engine => {
    for (let seed = 1; seed <= count(1, 20); seed++) await compareTwins(engine, seed, request)
  },
)

/** A search with a filter, which most of its records do not pass. */
function filtered(random: Random): string {
  const query = textOf(random, 4) + random.pick(['', '', ' "il 6"', ' walk*', ' -walrus'])
  const filter = random.pick([
    'from=ada',
    'person=hopper',
    'streams=slack_messages&where[channel]=general',
    'streams=slack_messages&where[text][contains]=report',
    'since=2026-02-02&from=slack',
    'from=nobody',
  ])
  const sort = random.pick(['', '&limit=100', '&sort=newest', '&sort=oldest&limit=100'])
  return `/v1/search?q=${encodeURIComponent(query)}&${filter}${sort}`
}

onEachEngine('RS-5 visible records alone decide how far a search reads under a filter', async engine => {
  for (let seed = 1; seed <= count(1, 20); seed++)
    for (const rows of [40, 210]) await compareTwins(engine, seed, filtered, { rows })
})

/** A store with an empty Slack, and a client that sees what is from `SINCE` on. */
function emptySlack(engine: Engine) {
  return StoreTemplate.prepare(engine, async server => {
    const connection = await server.connect(SLACK, 'Slack')
    const grant = { client_name: 'Client', connections: [connection], since: SINCE }
    const { access_token } = await server.own('POST', '/v1/owner/grants', grant)
    return { connection, token: access_token }
  })
}

onEachEngine('RS-5 a stream without records looks like one whose records are all hidden', async engine => {
  const { template, prepared } = await emptySlack(engine)
  await using _ = template
  await using plain = await template.open()
  await using secret = await template.open()
  const hidden = { id: 'h', text: 'walrus harbour', channel: 'general', sent_at: at(-60) }
  await secret.ingest('slack_messages', prepared.connection, [line(hidden)])
  const queries = [
    'walrus',
    'walruss harbour',
    'walrus -harbour',
    '"walrus harbour"',
    'wal*',
    'from:ada walrus',
  ]
  for (const q of queries.map(encodeURIComponent))
    for (const path of [
      `/v1/search?q=${q}`,
      `/v1/search?q=${q}&sort=newest`,
      `/v1/streams/slack_messages/aggregate?q=${q}`,
    ])
      assert.deepEqual(await secret.ask(path, prepared.token), await plain.ask(path, prepared.token), path)
})

onEachEngine(
  'RS-5 how a misspelt word is written does not depend on the time before records could be seen',
  async engine => {
    const { template, prepared } = await emptySlack(engine)
    await using _ = template
    await using plain = await template.open()
    await using secret = await template.open()
    const message = (id: string, text: string, minutes: number) =>
      line({ id, text, channel: 'general', sent_at: at(minutes) })
    const lines = [message('a', 'the report', 20), message('b', 'it reported', 10)]
    await plain.ingest('slack_messages', prepared.connection, lines)
    await secret.ingest('slack_messages', prepared.connection, [message('b', 'hidden', -60), ...lines])
    const path = '/v1/search?q=reprot'
    const one = await plain.ask(path, prepared.token)
    assert.match(one.text, /“report” was searched for instead/)
    assert.equal((await secret.ask(path, prepared.token)).text, one.text)
  },
)
