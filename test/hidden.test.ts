import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROUTES } from '../src/resource-server/routes.ts'
import { type ClientRequest, clientRequests, type Earlier } from './client-requests.ts'
import { count, onEachEngine, PROVING } from './engines.ts'
import { HUSHED, type Places, prepare, SECRET } from './hidden-scenarios.ts'
import { differences } from './twin-answers.ts'
import { type PlainAnswer, type StillServer, StoreTemplate } from './twin-servers.ts'
import { embedWords } from './word-meaning.ts'

const MOST_PAGES = count(8, 40)
/**
 * In `npm test` each request is made in three scenarios, in rotation: in two on SQLite, and in another on PostgreSQL. In
 * `npm run prove` each is made in all twelve.
 */
const TURNS = { sqlite: { every: 6, first: 0 }, postgres: { every: 12, first: 3 } }

onEachEngine('RS-5 RS-2 stores that differ only in hidden data answer a client identically', async engine => {
  const { template, prepared } = await StoreTemplate.prepare(engine, prepare)
  await using _ = template
  await using plain = await template.open()
  await using secret = await template.open()
  const embedBoth = () => Promise.all([plain, secret].map(({ store }) => embedWords(store)))
  await embedBoth()
  const tries: [name: string, places: Places, requests: ClientRequest[]][] = []
  for (const [{ name }, places] of prepared) {
    tries.push([name, places, clientRequests(places, await readBeforeChanges(plain, places))])
  }
  for (const [scenario, places] of prepared) {
    await scenario.plain?.(plain, places)
    await scenario.secret(secret, places)
  }
  await embedBoth()
  const { every, first } = PROVING ? { every: 1, first: 0 } : TURNS[engine]
  const told: string[] = []
  for (const [no, [name, { token }, requests]] of tries.entries()) {
    for (const request of requests.filter((_, n) => (n + no) % every === first)) {
      const found = await compare(plain, secret, token, request)
      if (found.length > 0) told.push(`${name}: ${request.path}\n${found.slice(0, 2).join('\n')}`)
    }
  }
  const summary = `${told.length} requests tell of what is hidden`
  assert.equal(told.length, 0, [summary, ...told.slice(0, 30)].join('\n'))
  assert.deepEqual([plain.failures, secret.failures], [[], []])
})

test('RS-5 every route that a client can call is tried', () => {
  const places: Places = { work: 'w', home: 'h', hushed: 'x', token: '' }
  const tried = clientRequests(places, { mark: 'm', windowCursor: 'c', etag: '"e"' }).map(
    ({ path, method }) => [method ?? 'GET', path.split('?')[0] ?? ''] as const,
  )
  const missing = ROUTES.filter(route => route.access !== 'owner').filter(({ method, path }) => {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
    return !tried.some(([by, where]) => by === method && pattern.test(where))
  })
  assert.deepEqual(
    missing.map(({ path }) => path),
    [],
  )
})

/** What a client gets before the stores diverge: a changes mark, a cursor inside a text, an ETag. */
async function readBeforeChanges(server: StillServer, { work, token }: Places): Promise<Earlier> {
  const messages = '/v1/streams/messages/records'
  const changes = await server.ask(`${messages}?changes_since=beginning&limit=100`, token)
  const window = await server.ask(`${messages}/m3/field-window?field=body&limit_chars=10`, token)
  const record = await server.ask(`${messages}/m1?connection_id=${work}`, token)
  return {
    mark: JSON.parse(changes.text).next_changes_since,
    windowCursor: JSON.parse(window.text).window?.next_cursor ?? null,
    etag: record.headers.etag ?? null,
  }
}

/** How the answers of the two stores differ, page by page, and the hidden words that they contain. */
async function compare(
  plain: StillServer,
  secret: StillServer,
  token: string,
  request: ClientRequest,
): Promise<string[]> {
  const { path, method = 'GET', headers = {} } = request
  const told: string[] = []
  let [cursor, otherCursor] = ['', '']
  for (let page = 0; page < MOST_PAGES; page++) {
    const [one, other] = await Promise.all([
      plain.ask(path + cursor, token, { method, headers }),
      secret.ask(path + otherCursor, token, { method, headers }),
    ])
    told.push(...differences(one, other), ...hiddenWords(path, other))
    const [next, otherNext] = [nextCursor(one), nextCursor(other)]
    if (next === null || otherNext === null) break
    const join = path.includes('?') ? '&' : '?'
    ;[cursor, otherCursor] = [`${join}cursor=${next}`, `${join}cursor=${otherNext}`]
  }
  return told
}

/**
 * Words that occur only in hidden data; a refusal may repeat what the request itself contained, and a stream is
 * described as its publisher declared it.
 */
function hiddenWords(path: string, { text, headers }: PlainAnswer): string[] {
  const said = `${text} ${JSON.stringify(headers)}`
  return (text.startsWith('{"object":"stream_metadata"') ? [SECRET] : [SECRET, HUSHED])
    .filter(word => said.includes(word) && !path.includes(word))
    .map(word => `  says ${said.slice(Math.max(0, said.indexOf(word) - 60), said.indexOf(word) + 40)}`)
}

function nextCursor({ text }: PlainAnswer): string | null {
  return /"next_cursor":"([^"]+)"/.exec(text)?.[1] ?? null
}
