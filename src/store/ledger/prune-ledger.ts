import { CodedError } from '../../model/errors.ts'
import type { Database } from '../engine/database.ts'
import { timePrefix } from '../engine/identifiers.ts'
import type { LedgerKey, StoredHead } from './ledger-chain.ts'
import { type Checkpoint, verifyLedger, writeMark } from './verify-ledger.ts'

interface Pruning {
  owner_id: string
  /** Lines older than this time are removed. */
  before: string
  now: string
  keys: readonly LedgerKey[]
  signing: LedgerKey
  heads: readonly StoredHead[]
}

/**
 * Removes the lines from before a time and leaves a signed checkpoint, from which the chains continue. A ledger that is
 * not intact is left unchanged, because pruning would hide what happened to it.
 */
export async function pruneLedger(ledger: Database, pruning: Pruning): Promise<{ removed: number }> {
  const { owner_id, before, now, signing } = pruning
  return ledger.transaction(async transaction => {
    const { report, chains, checkpoint } = await verifyLedger(transaction, owner_id, pruning)
    if (report.state !== 'intact') {
      const message = 'The ledger is not intact, so it is not pruned. See footnote ledger verify.'
      throw new CodedError('ledger_not_intact', message)
    }
    const bound = [owner_id, timePrefix(Date.parse(before))]
    const kept: Checkpoint['chains'] = checkpoint?.chains ?? []
    const heads = new Map(kept.map(head => [head.chain_id, head]))
    const last = await transaction.all<{ chain_id: string; count: number; mac: string }>(
      `SELECT d.chain_id, d.link_no AS count, d.mac FROM disclosures AS d JOIN (
         SELECT owner_id, chain_id, max(link_no) AS link_no FROM disclosures
         WHERE owner_id = ? AND disclosure_id < ? AND chain_id IS NOT NULL GROUP BY owner_id, chain_id
       ) AS m ON m.owner_id = d.owner_id AND m.chain_id = d.chain_id AND m.link_no = d.link_no`,
      bound,
    )
    for (const head of last)
      heads.set(head.chain_id, { ...head, key: chains.get(head.chain_id)?.keyId ?? '' })
    const unlinked = await transaction.run(
      'DELETE FROM disclosures WHERE owner_id = ? AND disclosure_id < ? AND chain_id IS NULL',
      bound,
    )
    const linked = await transaction.run(
      'DELETE FROM disclosures WHERE owner_id = ? AND disclosure_id < ?',
      bound,
    )
    await transaction.run('DELETE FROM line_blocks WHERE owner_id = ? AND after_id < ?', bound)
    const content: Checkpoint = {
      before,
      removed: (checkpoint?.removed ?? 0) + unlinked + linked,
      unlinked: report.unlinked - unlinked,
      chains: [...heads.values()],
    }
    await writeMark(transaction, signing, { owner_id, kind: 'checkpoint', at: now, content })
    return { removed: unlinked + linked }
  })
}
