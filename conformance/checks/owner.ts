import { type Check, check, expect, expectEqual, notSeen } from '../check.ts'
import { type Loose, recordPath, streamPath, UNKNOWN } from '../target.ts'
import { expectRecord } from './records.ts'

export const OWNER: readonly Check[] = [
  check('PC-91', 'the owner reads streams and records without a grant', async target => {
    const { status, body } = await target.owner('/v1/streams')
    expectEqual([status, body?.object], [200, 'list'], 'Status and object of the stream list')
    const filled = body.data.find(({ record_count }: Loose) => record_count > 0)
    if (!filled) notSeen('The owner has no records.')
    const list = await target.owner(`${streamPath(filled.name)}/records?limit=3`)
    expectEqual(list.status, 200, 'The status of a list')
    for (const record of list.body.data) expectRecord(record, filled.name)
  }),
  check('PC-75', 'a client sees nothing that the owner does not have', async target => {
    let compared = 0
    for (const { name } of await target.streams()) {
      for (const { id, data, connection_id } of (await target.records(name)).slice(0, 3)) {
        const scope = connection_id === undefined ? '' : `?connection_id=${encodeURIComponent(connection_id)}`
        const { status, body } = await target.owner(recordPath(name, id) + scope)
        expectEqual(status, 200, `The status of ${id} for the owner`)
        for (const [field, value] of Object.entries(data)) {
          expectEqual(value, body.data[field], `${field} of ${id}`)
          compared++
        }
      }
    }
    if (compared === 0) notSeen('The token opens no record.')
  }),
  check('PC-74', 'an owner’s filter takes scalars and declared ranges only', async target => {
    const { name, metadata } = await target.filled(1)
    const { properties } = metadata.schema
    const ranges = metadata.query?.range_filters ?? {}
    const ranged =
      Object.keys(properties).find(field => !(field in ranges)) ?? notSeen('All fields have ranges.')
    for (const query of [`filter[${UNKNOWN}]=x`, `filter[${ranged}][gte]=1`, `filter[${ranged}][near]=1`]) {
      const { status } = await target.owner(`${streamPath(name)}/records?${query}`)
      expect(status === 400, `?${query} is ${status}, not 400`)
    }
  }),
]
