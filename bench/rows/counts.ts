import { alternate, type Work } from '../measure.ts'
import { timed } from '../result.ts'
import type { Rig } from '../rig.ts'
import type { Row } from '../row.ts'
import { scopeQuery } from '../scope.ts'
import { TARGETS } from '../targets.ts'

const AGGREGATE = '/v1/streams/messages/aggregate'

async function against(rig: Rig, row: string, server: Work, floor: Work) {
  const samples = await alternate({ server, floor }, rig.size.seconds * 2)
  return [timed({ row, ...samples, target: TARGETS.count })]
}

export const count: Row = {
  name: 'count',
  async measure(rig) {
    const [path, floorPath] = [`${AGGREGATE}?metric=count`, `/count?${scopeQuery(rig)}`]
    const ours = await rig.client.json<{ value: number }>(path)
    const floors = await rig.floor.json<{ n: number }>(floorPath)
    if (ours.value !== Number(floors.n)) throw new Error(`${ours.value} counted, not ${floors.n}.`)
    return against(
      rig,
      this.name,
      () => rig.client.send(path),
      () => rig.floor.send(floorPath),
    )
  },
}

export const countByMonth: Row = {
  name: 'count by month',
  async measure(rig) {
    const path = `${AGGREGATE}?metric=count&group_by_time=received_at&granularity=month&limit=100`
    const floorPath = `/months?${scopeQuery(rig)}`
    const ours = await rig.client.json<{ groups: { count: number }[] }>(path)
    const floors = await rig.floor.json<{ n: number }[]>(floorPath)
    const [counted, expected] = [ours.groups.map(group => group.count), floors.map(month => Number(month.n))]
    if (counted.join() !== expected.join()) throw new Error(`The months differ: ${counted} and ${expected}.`)
    return against(
      rig,
      this.name,
      () => rig.client.send(path),
      () => rig.floor.send(floorPath),
    )
  },
}
