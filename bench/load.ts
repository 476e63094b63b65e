import { DOCUMENTS, type DocumentSize, documentLine } from './documents.ts'
import { BATCH, connectionOf, isGranted, mailBatch, mailId } from './mail.ts'
import type { Size } from './options.ts'
import type { Engine } from './place.ts'
import { type Rig, startRig } from './rig.ts'

/** One batch of the load: how many records there were before it, and how long it took on each side. */
export interface LoadedBatch {
  before: number
  ms: number
  floorMs: number | null
}

/** Enough to start the thread that analyses texts. */
const FEW_RECORDS = 4_000

/**
 * Uses a server and ends it. A checkout compiles what was changed when it is first used, and Node's compiler stays in
 * memory: about 20 MB that an installed package never needs.
 */
export async function useOnce(engine: Engine, size: Size): Promise<void> {
  await using rig = await startRig(engine, { ...size, records: FEW_RECORDS })
  await loadMail(rig, false)
  await rig.client.send('/v1/search?q=a')
  await rig.client.send('/mcp', { expect: 405 })
}

/** How many batches one side takes before it is the other's turn. */
const TURN = { sqlite: 1, postgres: 10 }

/**
 * Loads the mail, and each batch into the floor's own tables too when asked to. On PostgreSQL a turn is long, because
 * words are moved into its index beside the batches that follow: that should slow down the server, not the floor.
 */
export async function loadMail(rig: Rig, withFloor: boolean): Promise<LoadedBatch[]> {
  const batches = Array.from(
    { length: rig.size.records / BATCH },
    (_, i): LoadedBatch => ({ before: i * BATCH, ms: 0, floorMs: null }),
  )
  const ours = async (batch: LoadedBatch) => {
    const connection = connectionOf(batch.before, rig.connections)
    const { ms, body } = await rig.owner.ingest('messages', connection, mailBatch(batch.before))
    const { added } = JSON.parse(body.toString()) as { added: number }
    if (added !== BATCH) throw new Error(`A batch of ${BATCH} added ${added} records.`)
    batch.ms = ms
  }
  const floors = async (batch: LoadedBatch) => {
    const path = `/ingest?connection=${connectionOf(batch.before, rig.connections)}`
    batch.floorMs = (await rig.floor.send(path, { method: 'POST', body: mailBatch(batch.before) })).ms
  }
  const size = TURN[rig.engine]
  for (let first = 0; first < batches.length; first += size) {
    const turn = batches.slice(first, first + size)
    const sides = !withFloor ? [ours] : (first / size) % 2 === 0 ? [ours, floors] : [floors, ours]
    for (const side of sides) for (const batch of turn) await side(batch)
  }
  return batches
}

export async function loadDocuments(rig: Rig): Promise<void> {
  const [connection = ''] = rig.connections
  for (const size of Object.keys(DOCUMENTS) as DocumentSize[]) {
    const { body } = await rig.owner.ingest('documents', connection, documentLine(size))
    const { added } = JSON.parse(body.toString()) as { added: number }
    if (added !== 1) throw new Error(`The document of ${size} was not added: ${body}`)
  }
}

/** The token must be as narrow as documented; otherwise the measurements mean nothing. */
export async function assertScoped(rig: Rig): Promise<void> {
  const path = (n: number) =>
    `/v1/streams/messages/records/${mailId(n)}?connection_id=${connectionOf(n, rig.connections)}`
  const numbers = Array.from({ length: rig.size.records }, (_, n) => n)
  const inside = numbers.find(isGranted) ?? 0
  const outside = numbers.find(n => !isGranted(n)) ?? 0
  const { data } = await rig.client.json<{ data: Record<string, unknown> }>(path(inside))
  if ('secret' in data || !('body' in data)) throw new Error('The grant does not narrow the fields.')
  await rig.client.send(path(outside), { expect: 404 })
  await rig.owner.send(path(outside))
  await rig.client.send('/v1/owner/grants', { expect: 403 })
}
