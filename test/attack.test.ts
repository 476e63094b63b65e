import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PARTS } from '../bench/attack/parts.ts'
import { prepareWorld } from '../bench/attack/world.ts'
import { folderSize } from '../bench/place.ts'
import { Store } from '../src/store/store.ts'
import { storeLocation } from './engines.ts'
import { SpawnedServer } from './spawned-server.ts'

test('a server with few records withstands every attack', async () => {
  const { location, remove } = await storeLocation('sqlite')
  let ownerToken: string
  {
    await using store = await Store.open(location)
    ownerToken = await store.writer.call('createOwnerToken', {
      owner_id: store.owner_id,
      now: new Date().toISOString(),
    })
  }
  {
    await using server = await SpawnedServer.start(location)
    const size = () => folderSize(location.directory)
    const target = { url: server.url, ownerToken, pid: server.pid, databaseUrl: null, size }
    const scale = { records: 30, seconds: 0, otherMs: 30_000, requests: 60, longMailBytes: 100_000 }
    using world = await prepareWorld(target, scale)
    for (const part of PARTS) {
      const findings = await part.run(world)
      assert.ok(findings.length > 0, part.name)
      for (const { what, figures, held } of findings)
        assert.ok(held, `${part.name}: ${what}: ${figures.map(figure => figure.join(' ')).join(', ')}`)
    }
  }
  await remove()
})
