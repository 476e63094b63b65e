import { type Check, check, expect, expectEqual } from '../check.ts'
import { json, newId, Scratch } from '../scratch.ts'
import { DECLARATION, walk } from '../scratch-declaration.ts'
import { type Loose, recordPath, streamPath, type Target } from '../target.ts'
import { expectError } from './answers.ts'
import { isTime } from './streams.ts'

const REQUIRED = [
  'version',
  'grant_id',
  'issued_at',
  'subject',
  'client',
  'source',
  'source_declaration',
  'purpose_code',
  'access_mode',
  'streams',
]
const OPTIONAL = ['purpose_description', 'retention', 'selection_preset', 'expires_at']
const STREAM = ['name', 'instance_ids', 'fields', 'time_constraint', 'resources']

export async function idsOf(target: Target, token: string, stream = 'walks'): Promise<string[]> {
  const { body } = await target.request(`${streamPath(stream)}/records?limit=100`, token)
  return (body?.data ?? []).map(({ id }: Loose) => id).sort()
}

export const GRANTS: readonly Check[] = [
  check('PC-44 PC-45 PC-46', 'a grant has exactly its members', async target => {
    const { grant } = await target.own.grant()
    for (const member of REQUIRED) expect(member in grant, `The grant has no ${member}`)
    const extra = Object.keys(grant).filter(member => ![...REQUIRED, ...OPTIONAL].includes(member))
    expect(extra.length === 0, `The grant has ${extra.join(', ')}`)
    expectEqual(grant.version, '0.1.0', 'version')
    expectEqual(grant.source, DECLARATION.source, 'source')
    expectEqual(grant.source_declaration, { version: DECLARATION.declaration_version }, 'source_declaration')
    expectEqual(Object.keys(grant.subject), ['id'], 'The members of subject')
    expect(isTime(grant.issued_at), 'issued_at is not a time')
    for (const stream of grant.streams) {
      const more = Object.keys(stream).filter(member => !STREAM.includes(member))
      expect(more.length === 0, `A stream of the grant has ${more.join(', ')}`)
      expect(stream.fields?.length > 0, `${stream.name} has no fields`)
      expect(stream.instance_ids?.length > 0, `${stream.name} has no instance_ids`)
    }
  }),
  check('PC-10', 'required fields are in the grant', async target => {
    const { grant, token } = await target.own.grant({ streams: ['walks'], fields: ['km'] })
    expectEqual(grant.streams[0].fields.toSorted(), ['id', 'km', 'started_at'], 'The fields of the grant')
    const { body } = await target.request(recordPath('walks', 'w1'), token)
    expectEqual(Object.keys(body.data).sort(), ['id', 'km', 'started_at'], 'The fields of a record')
  }),
  check('PC-47 PC-49', 'since is included and until is excluded', async target => {
    const bounds = { since: '2026-01-02T00:00:00Z', until: '2026-01-04T00:00:00Z' }
    const { grant, token } = await target.own.grant({ streams: ['walks'], ...bounds })
    const { field, since, until } = grant.streams[0].time_constraint
    expectEqual(field, 'started_at', 'time_constraint.field')
    expectEqual([since, until].map(Date.parse), Object.values(bounds).map(Date.parse), 'The bounds')
    expectEqual(await idsOf(target, token), ['w2', 'w3'], 'The records inside the bounds')
  }),
  check('PC-49', 'later records are readable', async target => {
    const { token } = await target.own.grant({ streams: ['written'] })
    const id = newId()
    await target.own.write('written', [walk(id, '2026-05-01T00:00:00Z')])
    expect((await idsOf(target, token, 'written')).includes(id), 'A later record is not readable')
  }),
  check('PC-48', 'a grant is the same after it has ended', async target => {
    const { grant } = await target.own.grant()
    const read = async () => (await target.owner(`/v1/owner/grants/${grant.grant_id}`)).body.grant
    expectEqual(await read(), grant, 'The grant')
    await target.own.revoke(grant.grant_id)
    expectEqual(await read(), grant, 'The grant after its end')
  }),
  check('PC-75', 'fields and records outside the grant are not readable', async target => {
    const { token } = await target.own.grant({ fields: ['km'], records: ['walks:w2'] })
    expectEqual(await idsOf(target, token), ['w2'], 'The records of a grant for one record')
    const hidden = await target.request(recordPath('walks', 'w1'), token)
    expectError(hidden, 404, 'not_found', 'A record outside the grant')
    const field = await target.request(`${streamPath('walks')}/records?fields=notes`, token)
    expectError(field, 403, 'field_not_granted', 'A field outside the grant')
    const stream = await target.request(`${streamPath('legs')}/records`, token)
    expectError(stream, 403, 'grant_stream_not_allowed', 'A stream outside the grant')
  }),
  check('PC-61', 'a revoked grant is 403 grant_revoked', async target => {
    const { token, grant } = await target.own.grant()
    expectEqual((await target.request('/v1/streams', token)).status, 200, 'The status before')
    await target.own.revoke(grant.grant_id)
    expectError(await target.request('/v1/streams', token), 403, 'grant_revoked', 'A revoked grant')
  }),
  check('PC-61', 'an expired grant is 403 grant_expired', async target => {
    const { token } = await target.own.grant({ expires_at: '2026-01-01T00:00:00Z' })
    expectError(await target.request('/v1/streams', token), 403, 'grant_expired', 'An expired grant')
  }),
  check('PC-62', 'a grant whose account is gone is 403 grant_invalid', async target => {
    const body = { source_id: DECLARATION.source.id, display_name: `Conformance ${newId()}` }
    expect(target.own, '')
    const { connection_id } = (await target.owner('/v1/owner/connections', json('POST', body))).body
    const other = new Scratch(target, connection_id)
    const { token } = await other.grant()
    await target.owner(`/v1/owner/connections/${connection_id}`, { method: 'DELETE' })
    expectError(await target.request('/v1/streams', token), 403, 'grant_invalid', 'A grant without account')
  }),
]
