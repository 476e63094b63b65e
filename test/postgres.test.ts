import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { freshDatabase, givenServer, makeDatabase, stopPostgres } from './postgres.ts'

after(stopPostgres)

test('tests can use a PostgreSQL server that is already running, and leave nothing behind', async () => {
  const there = await freshDatabase()
  const server = givenServer(there)
  const made = await makeDatabase(server)
  const client = new pg.Client({ connectionString: made })
  await client.connect()
  await client.query('CREATE TABLE kept (n BIGINT)')
  await client.end()
  const copy = await makeDatabase(server, made)
  const names = [made, copy].map(url => new URL(url).pathname.slice(1))
  const left = async () => {
    const admin = new pg.Client({ connectionString: server.urlOf('postgres') })
    await admin.connect()
    const { rows } = await admin.query('SELECT datname FROM pg_database')
    await admin.end()
    return names.filter(name => rows.some(({ datname }) => datname === name))
  }
  assert.deepEqual(await left(), names)
  await server.stop()
  assert.deepEqual(await left(), [])
})
