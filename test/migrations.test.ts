import assert from 'node:assert/strict'
import { newToken, resolveToken } from '../src/store/access/tokens.ts'
import { hashOf } from '../src/store/engine/identifiers.ts'
import { migrate } from '../src/store/engine/migrations.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { Store } from '../src/store/store.ts'
import { freshLocation, onEachEngine } from './engines.ts'

onEachEngine('tokens and grants from before OAuth go on working after the migration', async engine => {
  const { location, remove } = await freshLocation(engine)
  const [owner_id, now] = ['oabcdefg', '2026-01-01T00:00:00.000Z']
  const tokens = { owner: newToken('owner', owner_id), client: newToken('client', owner_id) }
  {
    await using database = openDatabase(location, 'writer')
    await migrate(database, 2)
    await database.run(
      'INSERT INTO owners (owner_id, created_at, catalog_seq, change_seq, text_seq) VALUES (?, ?, 0, 0, 0)',
      [owner_id, now],
    )
    await database.run('INSERT INTO clients (owner_id, client_id, name, created_at) VALUES (?, ?, ?, ?)', [
      owner_id,
      'cli_old',
      'Codex',
      now,
    ])
    await database.run(
      `INSERT INTO grants (owner_id, grant_id, client_id, created_at, single_use, streams)
       VALUES (?, 'grt_old', 'cli_old', ?, 0, '[]')`,
      [owner_id, now],
    )
    for (const [kind, token] of Object.entries(tokens)) {
      await database.run('INSERT INTO tokens (owner_id, token_hash, kind, created_at) VALUES (?, ?, ?, ?)', [
        owner_id,
        hashOf(token),
        kind,
        now,
      ])
    }
    await database.run('INSERT INTO token_grants (owner_id, token_hash, grant_id) VALUES (?, ?, ?)', [
      owner_id,
      hashOf(tokens.client),
      'grt_old',
    ])
  }
  {
    await using store = await Store.open(location)
    assert.equal(store.owner_id, owner_id)
    assert.equal((await resolveToken(store.database, tokens.owner, new Date()))?.kind, 'owner')
    const state = await resolveToken(store.database, tokens.client, new Date())
    assert.deepEqual(state?.kind === 'client' && state.grants.map(grant => grant.grant_id), ['grt_old'])
    const again = { owner_id, client_name: 'Codex', streams: [], expires_at: null, single_use: false, now }
    const made = await store.writer.call('createGrant', again)
    assert.equal(made.client_id, 'cli_old', 'the client is known by its name')
  }
  await remove()
})
