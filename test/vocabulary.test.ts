import assert from 'node:assert/strict'
import { wordHash } from '../src/model/search/word-hash.ts'
import { oneEditAway } from '../src/model/text/one-edit.ts'
import { keyOf } from '../src/model/text/words.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { beginStore } from '../src/store/known-store.ts'
import { readCatalog } from '../src/store/records/catalog.ts'
import { mayBeStored, VocabularyWriter } from '../src/store/search/vocabulary.ts'
import { onEachEngine, storeLocation, TestServer, writable } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const hashesOf = (keys: readonly string[]) =>
  Int32Array.from(keys.map(wordHash).filter(hash => hash !== null))

const taken = ({ body }: { body: { meta: { warnings: { detail?: { taken?: string } }[] } } }) =>
  body.meta.warnings.flatMap(({ detail }) => detail?.taken ?? [])

onEachEngine(
  'EV-8 of all spellings of a word, only those that some record may contain are looked up',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [
      message('one', { body: 'the lantern of the harbour' }),
      message('long', { body: `${'pad '.repeat(9_000)} marmalade` }),
    ])
    const database = writable(server.store)
    const { owner_id } = server.store
    const stored = async (word: string) => {
      const keys = new Set(oneEditAway(word).map(keyOf))
      return [keys.size, [...(await mayBeStored(database, owner_id, [...keys]))]] as const
    }
    const [all, found] = await stored('lnatern')
    assert.ok(all > 300 && found.includes('lantern') && found.length < 5, `${found}`)
    assert.ok((await stored('marmelade'))[1].includes(keyOf('marmalade')))
    assert.ok((await stored('zeppelni'))[1].length < 5)
  },
)

onEachEngine('EV-8 the hash of a word is stored once, and counts only after the commit', async engine => {
  const { location, remove } = await storeLocation(engine)
  const all = ['harbour', 'lantern']
  {
    await using database = await openDatabase(location, 'writer')
    const { owner_id } = await beginStore(database, { now: '2026-01-01T00:00:00.000Z' })
    const place = { owner_id, connection_id: 'c', stream: 's' }
    const write = async (keys: string[], isUndone = false) => {
      const writer = await database.transaction(async transaction => {
        const writer = await VocabularyWriter.open(database, transaction, place, '1')
        writer.addHashes(hashesOf(keys))
        await writer.write(transaction)
        if (isUndone) throw new Error('undone')
        return writer
      })
      writer.keep()
    }
    const rows = async () =>
      (await database.numbers('SELECT length(hashes) AS n FROM word_hashes ORDER BY seq')).map(n => n / 3)
    await assert.rejects(write(all, true), /undone/)
    assert.deepEqual([...(await mayBeStored(database, owner_id, all))], [])
    await write(['lantern'])
    await write(['lantern', '1987'])
    assert.deepEqual([...(await mayBeStored(database, owner_id, all))], ['lantern'])
    await write([...all, 'harbour'])
    assert.deepEqual([...(await mayBeStored(database, owner_id, all))], all)
    assert.deepEqual([...(await mayBeStored(database, 'another', all))], [])
    assert.deepEqual(await rows(), [1, 1])
    // Another server knows them too, and adds a word that this one reads later.
    await using other = await openDatabase(location, 'writer')
    await other.transaction(async transaction => {
      const writer = await VocabularyWriter.open(other, transaction, place, '1')
      writer.addHashes(hashesOf([...all, 'kettle']))
      await writer.write(transaction)
    })
    assert.deepEqual(await rows(), [1, 1, 1])
    assert.deepEqual([...(await mayBeStored(database, owner_id, ['kettle', 'zeppelin']))], ['kettle'])
  }
  await remove()
})

onEachEngine(
  'EV-8 RS-5 while an index is rebuilt from another form, no word is taken from it, and its old hashes are removed',
  async engine => {
    await using before = await TestServer.start(engine)
    const [old, current] = [await before.connect(MAILBOX), await before.connect(MAILBOX)]
    const lines = Array.from({ length: 250 }, (_, i) => message(`m${i}`, { body: 'lantern' }))
    await before.ingest('messages', old, [...lines, message('last', { body: 'the zeppelin lands' })])
    await before.ingest('messages', current, [message('a', { body: 'harbour' })])
    // The server after an update, with data from the previous version: words with other hashes.
    await using server = await TestServer.on(before.location)
    const database = writable(server.store)
    const { owner_id, writer } = server.store
    const of = 'WHERE connection_id = ?'
    await database.run(`UPDATE search_state SET version = 'older' ${of}`, [old])
    const none = new Uint8Array(3)
    await database.run(`UPDATE word_hashes SET version = 'older', hashes = ? ${of}`, [none, old])
    const stream = (await readCatalog(database, owner_id)).connections[0]?.declaration.streams[0]
    assert.ok(stream)
    assert.equal(await writer.call('rebuildIndexPart', { owner_id, connection_id: old, stream }), false)
    const asked = async (q: string) => taken(await server.json(`/v1/search?q=${encodeURIComponent(q)}`))
    assert.deepEqual(await asked('lnatern harbuor zeppelni'), ['harbour'])
    // A word that is only in the old rows is still known.
    assert.deepEqual(await asked('lands'), [])
    await server.store.refreshIndexes()
    assert.deepEqual(await asked('lnatern harbuor zeppelni'), ['lantern', 'harbour', 'zeppelin'])
    assert.deepEqual(await database.all(`SELECT seq FROM word_hashes WHERE version = 'older'`), [])
  },
)
