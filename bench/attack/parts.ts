import { heavyRequests } from './heavy-requests.ts'
import { ledgerAndRevoking } from './ledger-and-revoking.ts'
import { openRoutesFlood } from './open-routes-flood.ts'
import type { AttackPart } from './part.ts'

export const PARTS: readonly AttackPart[] = [heavyRequests, openRoutesFlood, ledgerAndRevoking]
