import { fillLedger } from '../fill-ledger.ts'
import { alternate } from '../measure.ts'
import { timed } from '../result.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'
import { recordReads } from './record.ts'

/** Both measurements are relative to the floor, so that other load does not matter. */
export const ledger: Row = {
  name: 'read after ledger rows',
  async measure(rig) {
    await rig.place.settle()
    const before = await alternate(recordReads(rig), rig.size.seconds * 2)
    await fillLedger(rig)
    await rig.place.settle()
    const after = await alternate(recordReads(rig), rig.size.seconds * 2)
    const figure = after.server.p50 / after.floor.p50 / (before.server.p50 / before.floor.p50)
    const row = `GET record after ${rig.size.ledgerRows.toLocaleString('en')} ledger rows`
    return [timed({ row, server: after.server, floor: after.floor, target: TARGETS.ledger, figure })]
  },
}
