import { exportLedger, exportLedgerTable } from '../../api/owner-ledger.ts'
import type { Visit } from '../visit.ts'

/** The ledger as files to keep, with the signature of each line. */
export function sendLedgerLines({ fetch }: Visit): Promise<Response> {
  return fetch(exportLedger, {})
}

export function sendLedgerTable({ fetch }: Visit): Promise<Response> {
  return fetch(exportLedgerTable, {})
}
