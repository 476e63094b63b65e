import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { postgresIngest, sqliteIngest } from './floor/ingest.ts'
import { openPostgres, openSqlite } from './floor/plain.ts'
import { readsOf } from './floor/reads.ts'
import { searchReads } from './floor/search.ts'

/** The floor: node:http and one prepared statement, on the data that the server under test has written. */
const [place = '', owner = ''] = process.argv.slice(2)
const postgres = place.startsWith('postgres://')
const plain = postgres ? await openPostgres(place) : openSqlite(join(place, 'footnote.sqlite'))
const reads = { ...readsOf(plain, owner), ...searchReads(plain, owner, postgres) }
const ingest = postgres
  ? await postgresIngest(plain)
  : await sqliteIngest(openSqlite(join(place, 'floor.sqlite')))

const server = createServer(async (request, response) => {
  try {
    const [path = '', search = ''] = (request.url ?? '').split('?')
    const query = new URLSearchParams(search)
    let answer = '{}'
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      await ingest(query.get('connection') ?? '', Buffer.concat(chunks).toString().trimEnd().split('\n'))
    } else {
      answer = (await reads[path]?.(query)) ?? ''
      if (answer === '') throw new Error(`nothing at ${path}`)
    }
    const body = Buffer.from(answer)
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
    response.end(body)
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
})

server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
