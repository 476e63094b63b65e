import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamDeclaration } from '../src/model/declaration/declaration.ts'
import { zipOf } from './archives.ts'
import { onEachEngine, TestServer, writable } from './engines.ts'
import { importPlace } from './import-place.ts'
import { MAILBOX, message } from './mailbox.ts'

function mail(n: number): string {
  return `From: a@example.org\nMessage-ID: <m${n}@example.org>\nSubject: Letter ${n}\nDate: Mon, 5 Jan 2026 10:00:0${n} +0000\n\nBody ${n} with a zygote.\n`
}

interface Origin {
  import_id: string
  place: string
  source: string
}

onEachEngine(
  'a record lists the imports that contained it, and removing an import removes what only it contained',
  async engine => {
    await using place = await importPlace(engine)
    const [first, second] = ['first.zip', 'second.zip'].map(name => join(place.folder, name)) as [
      string,
      string,
    ]
    await writeFile(
      first,
      zipOf([
        { path: 'mail/1.eml', content: mail(1) },
        { path: 'mail/2.eml', content: mail(2) },
      ]),
    )
    await writeFile(
      second,
      zipOf([
        { path: 'mail/2.eml', content: mail(2) },
        { path: 'mail/3.eml', content: mail(3) },
      ]),
    )
    const runs: string[] = []
    for (const path of [first, second])
      runs.push((await place.import(path, '--name', 'Mail', '--json')).json.import_id)
    const [one = '', two = ''] = runs
    const list = async () =>
      (
        await place.call<{ data: { id: string; data: { subject: string } }[] }>(
          '/v1/streams/emails/records?order=asc',
        )
      ).data
    const origins = async (id: string) =>
      (await place.call<{ data: Origin[] }>(`/v1/streams/emails/records/${id}/imports`)).data.map(
        ({ import_id, place: inside, source }) => [import_id, inside, source],
      )
    const records = await list()
    assert.deepEqual(await Promise.all(records.map(({ id }) => origins(id))), [
      [[one, 'mail/1.eml', first]],
      [
        [two, 'mail/2.eml', second],
        [one, 'mail/2.eml', first],
      ],
      [[two, 'mail/3.eml', second]],
    ])

    // A client never gets it, whatever its grant covers.
    await using server = await TestServer.on(place.config.location)
    const token = await server.grant({ streams: ['emails'] })
    const asked = await server.json(`/v1/streams/emails/records/${records[0]?.id}/imports`, { token })
    assert.equal(asked.status, 403)
    const shown = await server.json('/v1/streams/emails/records', { token })
    assert.doesNotMatch(JSON.stringify(shown.body), /first\.zip|imp_|mail\/1\.eml/)

    const remove = (run: string) =>
      place.call<{ deleted: number; kept: number }>(`/v1/owner/imports/${run}`, { method: 'DELETE' })
    assert.deepEqual(await remove(one), { object: 'removed_import', import_id: one, deleted: 1, kept: 1 })
    assert.deepEqual(
      (await list()).map(({ data }) => data.subject),
      ['Letter 2', 'Letter 3'],
    )
    await assert.rejects(place.call(`/v1/owner/imports/${one}`), { code: 'import_not_found' })
    const found = await server.json('/v1/search?q=zygote')
    assert.equal(found.body.data.length, 2)
    // The records of the first import now belong to the second.
    assert.deepEqual(await remove(two), { object: 'removed_import', import_id: two, deleted: 2, kept: 0 })
    assert.deepEqual(await list(), [])
    const left = await server.store.database.get<{ n: number }>('SELECT count(*) AS n FROM provenance')
    assert.equal(Number(left?.n), 0)
  },
)

onEachEngine('a record that existed before an import stays when the import is removed', async engine => {
  await using place = await importPlace(engine)
  const path = join(place.folder, 'one.eml')
  await writeFile(path, mail(1))
  const { json } = await place.import(path, '--json')
  const [record] = (await place.call<{ data: { id: string; data: object }[] }>('/v1/streams/emails/records'))
    .data
  assert.ok(record)
  const ingest = (import_id?: string) => {
    const query = new URLSearchParams({
      connection_id: json.connection_id,
      ...(import_id ? { import_id } : {}),
    })
    const body = Buffer.from(JSON.stringify({ key: record.id, data: record.data }))
    return place.call(`/v1/ingest/emails?${query}`, { method: 'POST', type: 'application/x-ndjson', body })
  }
  // After it is deleted and ingested directly, the record no longer belongs to the import.
  await place.request(`/v1/streams/emails/records/${record.id}`, { method: 'DELETE' })
  await ingest()
  const again = await place.import(path, '--json')
  assert.equal(again.json.unchanged, 1)
  for (const import_id of [json.import_id, again.json.import_id]) {
    const removed = await place.call<{ deleted: number }>(`/v1/owner/imports/${import_id}`, {
      method: 'DELETE',
    })
    assert.equal(removed.deleted, 0)
  }
  assert.equal(await place.count(), 1)
  await assert.rejects(ingest(again.json.import_id), { code: 'import_not_found' })
})

onEachEngine('a record that another import brings while an import is removed stays', async engine => {
  await using server = await TestServer.start(engine)
  const { owner_id, writer } = server.store
  const connection_id = await server.connect(MAILBOX)
  const imported = async (source: string) => {
    const files = { source, format: 'made', fingerprint: source, stamp: source, default_name: 'Mail' }
    const begun = await server.post('/v1/owner/imports', {
      ...{ source_id: MAILBOX.source.id, connection_id, ...files },
    })
    return begun.body.import_id
  }
  const [first, second] = [await imported('/first'), await imported('/second')]
  await server.json(`/v1/ingest/messages?connection_id=${connection_id}&import_id=${first}`, {
    method: 'POST',
    body: JSON.stringify(message('m1')),
    headers: { 'Content-Type': 'application/x-ndjson' },
  })
  const stream = MAILBOX.streams[0] as unknown as StreamDeclaration
  const targets = [{ owner_id, connection_id, stream }]
  let removal = Promise.resolve({ deleted: 0, kept: 0 })
  await writable(server.store).transaction(async transaction => {
    await transaction.run('UPDATE owners SET change_seq = change_seq WHERE owner_id = ?', [owner_id])
    await transaction.run(
      `INSERT INTO provenance (owner_id, connection_id, stream, record_key, import_id, place, imported)
       SELECT owner_id, connection_id, stream, record_key, CAST(? AS TEXT), place, imported FROM provenance`,
      [second],
    )
    removal = writer.call('removeImport', { owner_id, import_id: first, targets })
    // Enough for a removal that does not wait.
    await sleep(100)
  })
  assert.deepEqual(await removal, { deleted: 0, kept: 1 })
  assert.equal((await server.json('/v1/streams/messages/records')).body.data.length, 1)
})
