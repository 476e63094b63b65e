import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { source, stream } from './mailbox.ts'

const TEXT = { type: 'string' }
const KINDS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta']

/** A source whose records have a field that those of other kinds do not have. */
function kind(name: string) {
  const query = { search: { lexical_fields: ['text', name] } }
  return { ...source(name), streams: [stream('notes', { text: TEXT, [name]: TEXT }, { query })] }
}

interface Found {
  data: { record_key: string }[]
  meta: { count: number; count_accuracy: string }
}

onEachEngine(
  'EV-8 a word is found in every kind of source, however many newer records of another kind contain it',
  async engine => {
    await using server = await TestServer.start(engine)
    const connections: string[] = []
    for (const name of KINDS) connections.push(await server.connect(kind(name), name))
    for (const [i, name] of KINDS.entries())
      await server.ingest('notes', connections[i] as string, [
        { data: { id: `${name}-both`, text: `harbour ${name}only`, [name]: 'quiet' } },
        { data: { id: `${name}-own`, text: 'nothing', [name]: 'harbour' } },
      ])
    const newer = Array.from({ length: 900 }, (_, n) => ({
      data: { id: `n${n}`, text: 'harbour', alpha: 'x' },
    }))
    await server.ingest('notes', connections[0] as string, newer)
    const find = async (q: string, token = server.ownerToken): Promise<Found> =>
      (await server.json(`/v1/search?limit=100&q=${encodeURIComponent(q)}`, { token })).body
    for (const name of KINDS) {
      assert.deepEqual(
        (await find(`${name}only`)).data.map(hit => hit.record_key),
        [`${name}-both`],
      )
      assert.deepEqual(
        (await find(`"harbour ${name}only"`)).data.map(hit => hit.record_key),
        [`${name}-both`],
      )
    }
    assert.equal((await find('harbour')).meta.count, 912)
    const token = await server.grant({ connections: connections.slice(1) })
    const others = KINDS.slice(1).flatMap(name => [`${name}-both`, `${name}-own`])
    const seen = await find('harbour', token)
    assert.deepEqual(
      seen.data.map(hit => hit.record_key).sort(),
      others.sort(),
      'hidden records take no place',
    )
    assert.deepEqual([seen.meta.count, seen.meta.count_accuracy], [others.length, 'exact'])
  },
)
