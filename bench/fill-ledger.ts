import { setTimeout as wait } from 'node:timers/promises'
import { mailId } from './mail.ts'
import type { Rig } from './rig.ts'

const AT_ONCE = 100_000
const YEAR_MS = 365 * 86_400_000
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
const ID_DIGITS = 9
/** Every other line belongs to the benchmark's own client. */
const OTHERS = ['cli_other1', 'cli_other2', 'cli_other3']

const filled = new WeakSet<Rig>()

/**
 * Lines like those of searches and reads by four clients, spread over the year before the run; written once per rig.
 */
export async function fillLedger(rig: Rig): Promise<void> {
  if (filled.has(rig)) return
  filled.add(rig)
  const { data } = await rig.owner.json<{ data: { client_id: string }[] }>('/v1/owner/clients')
  const own = data[0]?.client_id ?? ''
  const rows = rig.size.ledgerRows
  const isPostgres = rig.engine === 'postgres'
  const ms = `(${Date.now() - YEAR_MS} + n * ${Math.floor(YEAR_MS / rows)})`
  const digit = (power: number) => `substr('${DIGITS}', CAST(${ms} / ${36 ** power} % 36 AS INTEGER) + 1, 1)`
  const time = Array.from({ length: ID_DIGITS }, (_, index) => digit(ID_DIGITS - 1 - index)).join(' || ')
  const at = isPostgres
    ? `to_char(to_timestamp(${ms} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`
  const client = `CASE WHEN n % 2 = 0 THEN '${own}' WHEN n % 6 = 1 THEN '${OTHERS[0]}'
    WHEN n % 6 = 3 THEN '${OTHERS[1]}' ELSE '${OTHERS[2]}' END`
  const select = `SELECT '${rig.owner_id}', ${time} || '000000000000',
    ${at}, 'req_0123456789abcdef', ${client}, 'grt_bench',
    CASE WHEN n % 4 = 0 THEN 'GET /v1/search' ELSE 'GET /v1/streams/:stream/records/:record_id' END,
    CASE WHEN n % 4 = 0 THEN '${JSON.stringify(found(rig))}' ELSE '${JSON.stringify(opened(rig))}' END,
    200, '[]'`
  await using ledger = await rig.place.ledger()
  for (let first = 0; first < rows; first += AT_ONCE) {
    const last = Math.min(first + AT_ONCE, rows) - 1
    const into = `INSERT INTO disclosures (owner_id, disclosure_id, at, request_id, client_id, grant_ids, route, shown, status, decided)`
    await ledger.exec(
      isPostgres
        ? `${into} ${select} FROM generate_series(${first}::bigint, ${last}::bigint) AS s (n)`
        : `WITH RECURSIVE s (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM s WHERE n < ${last}) ${into} ${select} FROM s`,
    )
    // SQLite works in this thread. Meanwhile connections that the server has closed go unnoticed.
    await wait(1)
  }
}

function opened({ connections: [connection_id] }: Rig) {
  const fields = ['id', 'subject', 'from', 'body', 'received_at']
  return [{ connection_id, stream: 'messages', record_ids: [mailId(12_345)], fields }]
}

function found({ connections: [connection_id] }: Rig) {
  return Array.from({ length: 5 }, (_, index) => ({
    connection_id,
    stream: 'messages',
    record_ids: [mailId(index * 2)],
    fields: ['subject', 'received_at', 'from', 'body'],
    ranges: { body: [[40, 240]] },
  }))
}
