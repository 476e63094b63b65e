import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SHIPPED_SOURCES } from '../src/importers/shipped-sources.ts'
import { type Declaration, fieldsWithRole, fieldWithRole } from '../src/model/declaration/declaration.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { onEachEngine } from './engines.ts'
import { TRAIL_LOG } from './trail-log.ts'

const STREAMS = SHIPPED_SOURCES.flatMap(({ streams }) => streams)

test('AN-2: no two shipped sources have a stream of the same name', () => {
  const names = STREAMS.map(({ name }) => name)
  const shared = names.filter((name, i) => names.indexOf(name) !== i)
  assert.deepEqual(shared, [])
  assert.ok(!names.includes('messages') && names.includes('emails'), 'a name says which messages')
})

test('the title of a message is its own or that of its topic, never the name of a whole channel', () => {
  const messages = STREAMS.filter(
    stream => fieldWithRole(stream, 'actor') && stream.schema.x_pdpp_conversation !== undefined,
  )
  assert.ok(messages.length >= 10, `only ${messages.length} streams of messages`)
  for (const stream of messages) {
    const places = fieldsWithRole(stream, ['place'])
    const { around, key } = stream.schema.x_pdpp_conversation ?? {}
    const title = fieldWithRole(stream, 'primary-title')
    if (title === undefined) continue
    assert.ok(title !== key && title !== around?.place, `${stream.name}: ${title} is a place`)
    // A conversation with an AI has a title that describes its topic; a channel or chat only has a name.
    const isTopic = /^(?:subject|title|\w+_title)$/.test(title)
    assert.ok(isTopic || !places.includes(title), `${stream.name}: ${title} is a place`)
  }
})

test('a stream with a text and no title is headed by its first words, so every stream has one of the two', () => {
  for (const stream of STREAMS) {
    const headed = fieldsWithRole(stream, ['primary-title', 'primary-text'])
    assert.ok(headed.length > 0, stream.name)
  }
})

onEachEngine(
  'PC-2 PC-92 whoever has no token learns which shipped sources a request can name, and of no other source',
  async engine => {
    const shipped = TRAIL_LOG as unknown as Declaration
    await using world = await AuthorizationWorld.start(engine, { sources: [shipped] })
    await world.mailbox('Work mail')
    const { body } = await world.call('/.well-known/oauth-protected-resource', null)
    const found = await world.call(body.capabilities.source_declarations.endpoint, null)
    assert.deepEqual([found.status, found.body.has_more, found.body.data], [200, false, [shipped]])
    assert.equal(found.headers.get('Access-Control-Allow-Origin'), '*')
  },
)
