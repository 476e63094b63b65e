import { type Check, check, expect, expectEqual } from '../check.ts'
import { newId } from '../scratch.ts'
import { LONG_TEXT, walk } from '../scratch-declaration.ts'
import { type Loose, recordPath, streamPath, type Target } from '../target.ts'
import { expectError } from './answers.ts'
import { isTime } from './streams.ts'

const DAY = '2026-06-01T00:00:00Z'

async function changesOf(target: Target, token: string, mark: string): Promise<Loose> {
  const query = new URLSearchParams({ changes_since: mark, limit: '100' })
  const { status, body } = await target.request(`${streamPath('written')}/records?${query}`, token)
  expectEqual([status, body?.has_more], [200, false], 'Status and has_more of the changes')
  return body
}

/** A grant without notes and map, and its mark after a record has been written. */
async function followed(target: Target): Promise<{ id: string; token: string; mark: string }> {
  const id = newId()
  await target.own.write('written', [walk(id, DAY)])
  const { token } = await target.own.grant({ streams: ['written'], fields: ['km'] })
  const { next_changes_since } = await changesOf(target, token, 'beginning')
  return { id, token, mark: next_changes_since }
}

const idsIn = (body: Loose) => body.data.map(({ id }: Loose) => id)

const rejecting = (rows: string, title: string, stream: string, line: () => Loose) =>
  check(rows, title, async target => {
    const { rejected } = await target.own.tryToWrite(stream, [line()])
    expectEqual(rejected, 1, 'The number of rejected records')
  })

export const WRITING: readonly Check[] = [
  check('PC-67', 'a record without cursor value is last in both orders', async target => {
    const { token } = await target.own.grant({ streams: ['walks'] })
    for (const [order, ids] of [
      ['asc', ['w2', 'w4', 'w1', 'w3']],
      ['desc', ['w1', 'w4', 'w2', 'w3']],
    ] as const) {
      const { body } = await target.request(`${streamPath('walks')}/records?order=${order}`, token)
      expectEqual(idsIn(body), ids, `order=${order}`)
    }
  }),
  check('PC-76', 'a long text is whole, in a list and alone', async target => {
    const { token } = await target.own.grant({ streams: ['walks'] })
    const list = (await target.request(`${streamPath('walks')}/records`, token)).body.data
    const one = (await target.request(recordPath('walks', 'w4'), token)).body
    const listed = list.find(({ id }: Loose) => id === 'w4')
    for (const { data } of [listed, one]) {
      expect(data.notes === LONG_TEXT, `A text of ${LONG_TEXT.length} characters has ${data.notes.length}`)
    }
  }),
  check('PC-77', 'only changes of what is granted show', async target => {
    const { id, token, mark } = await followed(target)
    await target.own.write('written', [walk(id, DAY, { notes: 'Only the hidden field has changed' })])
    expectEqual(idsIn(await changesOf(target, token, mark)), [], 'A change of a hidden field')
    await target.own.write('written', [walk(id, DAY, { km: 8 })])
    expectEqual(idsIn(await changesOf(target, token, mark)), [id], 'A change of a granted field')
  }),
  check('PC-80', 'a deleted record is a tombstone without data', async target => {
    const { id, token, mark } = await followed(target)
    await target.own.write('written', [{ op: 'delete', key: id }])
    const { data } = await changesOf(target, token, mark)
    const found = data.find((each: Loose) => each.id === id)
    expect(found, 'A deleted record is not in the changes')
    expectEqual([found.object, found.stream, found.deleted], ['record', 'written', true], 'The tombstone')
    for (const member of ['deleted_at', 'emitted_at'])
      expect(isTime(found[member]), `${member} is not a time`)
    expect(!('data' in found), 'The tombstone has data')
  }),
  check('PC-81', 'the owner deletes a record with 204', async target => {
    const id = newId()
    await target.own.write('written', [walk(id, DAY)])
    const path = `${recordPath('written', id)}?connection_id=${target.own.connection_id}`
    expectEqual((await target.owner(path, { method: 'DELETE' })).status, 204, 'The status of DELETE')
    expectError(await target.owner(path), 404, 'not_found', 'The deleted record')
  }),
  check('PC-82', 'a blob is readable only through a granted field', async target => {
    const open = await target.own.grant({ streams: ['walks'], fields: ['map'] })
    const closed = await target.own.grant({ streams: ['walks'], fields: ['km'] })
    const { body } = await target.request(recordPath('walks', 'w1'), open.token)
    const path = `/v1/blobs/${body.data.map.blob_id}`
    expectEqual((await target.request(path, open.token)).status, 200, 'The status through a granted field')
    expectError(await target.request(path, closed.token), 404, 'blob_not_found', 'A blob of a hidden field')
  }),
  check('PC-83', 'the address of a producer is not passed on', async target => {
    const { token } = await target.own.grant({ streams: ['walks'] })
    const { text } = await target.request(recordPath('walks', 'w1'), token)
    expect(!text.includes('elsewhere.example'), 'The producer’s fetch_url is passed on')
  }),
  rejecting('PC-94', 'a key that differs from the data is refused', 'written', () => ({
    key: newId(),
    ...walk(newId(), DAY),
  })),
  check('PC-95', 'a second write replaces a mutable record', async target => {
    const id = newId()
    for (const km of [1, 2]) await target.own.write('written', [walk(id, DAY, { km })])
    const { token } = await target.own.grant({ streams: ['written'] })
    expectEqual((await target.request(recordPath('written', id), token)).body.data.km, 2, 'km')
  }),
  check('PC-95', 'a compound key is a JSON array of strings', async target => {
    const { token } = await target.own.grant({ streams: ['legs'] })
    const { body } = await target.request(recordPath('legs', '["w1","2"]'), token)
    expectEqual([body.id, body.data?.no], ['["w1","2"]', 2], 'id and no of a leg')
  }),
  check('PC-96', 'a second write of an append-only record changes nothing', async target => {
    const id = newId()
    for (const word of ['first', 'second']) {
      await target.own.tryToWrite('stamps', [{ data: { id, word } }])
    }
    const { token } = await target.own.grant({ streams: ['stamps'] })
    expectEqual((await target.request(recordPath('stamps', id), token)).body.data.word, 'first', 'word')
  }),
  rejecting('PC-97', 'a blob reference with a wrong mime_type is refused', 'written', () =>
    walk(newId(), DAY, { map: { blob_id: `sha256-${'0'.repeat(64)}`, mime_type: 'nonsense' } }),
  ),
]
