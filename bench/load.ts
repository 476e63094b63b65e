import { DOCUMENTS, type DocumentSize, documentLine } from './documents.ts'
import { BATCH, connectionOf, isGranted, mailBatch, mailId } from './mail.ts'
import type { Rig } from './rig.ts'

/** One batch of the load: how many records there were before it, and how long it took on each side. */
export interface LoadedBatch {
  before: number
  ms: number
  floorMs: number | null
}

/** Loads the mail batch by batch, and each batch into the floor's own tables too when asked to. */
export async function loadMail(rig: Rig, withFloor: boolean): Promise<LoadedBatch[]> {
  const batches: LoadedBatch[] = []
  for (let before = 0; before < rig.size.records; before += BATCH) {
    const connection = connectionOf(before, rig.connections)
    const body = mailBatch(before)
    const ours = async () => {
      const { ms, body: answer } = await rig.owner.ingest('messages', connection, body)
      const { added } = JSON.parse(answer.toString()) as { added: number }
      if (added !== BATCH) throw new Error(`A batch of ${BATCH} added ${added} records.`)
      return ms
    }
    const floors = async () =>
      (await rig.floor.send(`/ingest?connection=${connection}`, { method: 'POST', body })).ms
    if (!withFloor) batches.push({ before, ms: await ours(), floorMs: null })
    else if (batches.length % 2 === 0) batches.push({ before, ms: await ours(), floorMs: await floors() })
    else {
      const floorMs = await floors()
      batches.push({ before, ms: await ours(), floorMs })
    }
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
