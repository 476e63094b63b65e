import { type Check, check, expect, expectEqual, notSeen } from '../check.ts'
import { type Answer, type Loose, streamPath, type Target, UNKNOWN } from '../target.ts'
import { expectError } from './answers.ts'

const MEMBERS = ['stream', 'metric', 'field', 'group_by', 'group_by_time', 'granularity', 'time_zone']

/** A stream that declares this aggregation, and what it declares. */
async function declaring(target: Target, what: string): Promise<{ path: string; declared: Loose }> {
  const has = (metadata: Loose) => metadata.query?.aggregations?.[what]
  const { name, metadata } = await target.stream(has, `No stream declares the aggregation ${what}.`)
  return { path: `${streamPath(name)}/aggregate`, declared: metadata.query.aggregations }
}

function ask(target: Target, path: string, query: Record<string, string>): Promise<Answer> {
  return target.get(`${path}?${new URLSearchParams(query)}`)
}

export const AGGREGATION: readonly Check[] = [
  check('PC-104', 'a stream that declares no aggregations is 404 not_found', async target => {
    const bare = (metadata: Loose) => !metadata.query?.aggregations
    const { name } = await target.stream(bare, 'Every stream declares aggregations.')
    const answer = await ask(target, `${streamPath(name)}/aggregate`, { metric: 'count' })
    expectError(answer, 404, 'not_found', `The aggregation of ${name}`)
  }),
  check('PC-105', 'what is not declared is 400', async target => {
    const { path, declared } = await declaring(target, 'count')
    const [, , name = ''] = path.split('/').slice(1)
    const { metadata } = await target.stream(m => encodeURIComponent(m.name) === name, 'The stream is gone.')
    const field = Object.keys(metadata.schema.properties).find(each => !declared.sum?.includes(each))
    if (field === undefined) notSeen('Every field of the stream can be summed.')
    const undeclared = await ask(target, path, { metric: 'sum', field })
    const shown = undeclared.body?.error?.code
    const refused = undeclared.status === 400 || shown === 'field_not_granted'
    expect(refused, `sum of ${field} is ${undeclared.status} ${shown}`)
    expectEqual((await ask(target, path, { metric: 'median' })).status, 400, 'The status of metric=median')
  }),
  check('PC-106', 'minute is a granularity, an offset is not a time zone', async target => {
    const { path, declared } = await declaring(target, 'group_by_time')
    const query = { metric: 'count', group_by_time: declared.group_by_time[0] }
    const minute = await ask(target, path, { ...query, granularity: 'minute' })
    expectEqual(minute.status, 200, 'The status of granularity=minute')
    const offset = await ask(target, path, { ...query, granularity: 'day', time_zone: '+05:00' })
    expectError(offset, 400, 'invalid_request', 'time_zone=+05:00')
    expectError(await ask(target, path, query), 400, 'invalid_request', 'group_by_time without granularity')
  }),
  check('PC-107', 'limit is refused out of range and without a group', async target => {
    const { path } = await declaring(target, 'count')
    const alone = await ask(target, path, { metric: 'count', limit: '5' })
    expectError(alone, 400, 'invalid_request', 'limit without a group')
    const grouped = await declaring(target, 'group_by_time')
    const query = { metric: 'count', group_by_time: grouped.declared.group_by_time[0], granularity: 'day' }
    for (const limit of ['0', '101']) {
      const answer = await ask(target, grouped.path, { ...query, limit })
      expectError(answer, 400, 'invalid_request', `limit=${limit}`)
    }
  }),
  check('PC-108', 'the envelope of a figure is complete', async target => {
    const { path } = await declaring(target, 'count')
    const { status, body } = await ask(target, path, { metric: 'count' })
    expectEqual([status, body?.object], [200, 'aggregation'], 'Status and object')
    for (const member of MEMBERS) expect(member in body, `${member} is missing`)
    expectEqual(body.approximate, false, 'approximate')
    expectEqual(body.value, body.filtered_record_count, 'value')
  }),
  check('PC-108', 'buckets are in order of time, and other_count counts the rest', async target => {
    const { path, declared } = await declaring(target, 'group_by_time')
    const query = {
      metric: 'count',
      group_by_time: declared.group_by_time[0],
      granularity: 'day',
      limit: '1',
    }
    const { body } = await ask(target, path, query)
    const { groups, other_count, limit } = body
    expectEqual(limit, 1, 'limit')
    expect(groups.length <= 1, 'There are more groups than limit says')
    expect(Number.isInteger(other_count), 'other_count is missing')
    const { body: all } = await ask(target, path, { ...query, limit: '100' })
    const keys = all.groups.map(({ key }: Loose) => key).filter((key: Loose) => key !== null)
    expectEqual(keys, keys.toSorted(), 'The order of the buckets')
    const total = all.groups.reduce((sum: number, { count }: Loose) => sum + count, 0) + all.other_count
    expectEqual(total, all.filtered_record_count, 'The sum of all groups')
  }),
  check('PC-108', 'groups are ordered by count, then key', async target => {
    const { path, declared } = await declaring(target, 'group_by')
    const { body } = await ask(target, path, { metric: 'count', group_by: declared.group_by[0] })
    const counts = body.groups.map(({ count }: Loose) => count)
    expectEqual(
      counts,
      counts.toSorted((a: number, b: number) => b - a),
      'The order of the groups',
    )
    expect(Number.isInteger(body.other_count), 'other_count is missing')
  }),
  check('PC-104', 'the aggregation of a stream outside the grant is 403', async target => {
    const answer = await ask(target, `${streamPath(UNKNOWN)}/aggregate`, { metric: 'count' })
    expectError(answer, 403, 'grant_stream_not_allowed', 'A stream outside the grant')
  }),
]
