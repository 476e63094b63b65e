import { alternate } from '../measure.ts'
import { atMost, timed } from '../result.ts'
import type { Rig } from '../rig.ts'
import type { Row } from '../row.ts'
import { recordReads } from './record.ts'

const AT_ONCE = 100_000

/** Both measurements are relative to the floor, so that other load does not count. */
export const ledger: Row = {
  name: 'read after ledger rows',
  async measure(rig) {
    await rig.place.settle()
    const before = await alternate(recordReads(rig), rig.size.seconds * 2)
    await fill(rig)
    await rig.place.settle()
    const after = await alternate(recordReads(rig), rig.size.seconds * 2)
    const figure = after.server.p50 / after.floor.p50 / (before.server.p50 / before.floor.p50)
    const row = `GET record after ${rig.size.ledgerRows.toLocaleString('en')} ledger rows`
    return [timed({ row, server: after.server, floor: after.floor, target: atMost(1.1, '× before'), figure })]
  },
}

/** Rows as reads of one record leave them, all older than the run. */
async function fill(rig: Rig): Promise<void> {
  await using ledger = await rig.place.ledger()
  const [connection_id] = rig.connections
  const fields = ['id', 'subject', 'from', 'body', 'received_at']
  const shown = JSON.stringify([{ connection_id, stream: 'messages', record_ids: ['m-12345'], fields }])
  const insert = (source: string, id: string) => `
    INSERT INTO disclosures (owner_id, disclosure_id, at, request_id, client_id, grant_ids, route, shown)
    SELECT '${rig.owner_id}', ${id}, '2025-01-01T00:00:00.000Z', 'req_0123456789abcdef', 'cli_bench', 'grt_bench',
      'GET /v1/streams/:stream/records/:record_id', '${shown}' FROM ${source}`
  for (let first = 0; first < rig.size.ledgerRows; first += AT_ONCE) {
    const last = Math.min(first + AT_ONCE, rig.size.ledgerRows) - 1
    await ledger.exec(
      rig.engine === 'postgres'
        ? insert(`generate_series(${first}, ${last}) AS s (n)`, `'0' || lpad(n::text, 20, '0')`)
        : `WITH RECURSIVE s (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM s WHERE n < ${last})
           ${insert('s', `'0' || printf('%020d', n)`)}`,
    )
  }
}
