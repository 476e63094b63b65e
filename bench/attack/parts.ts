import { heavyRequests } from './heavy-requests.ts'
import type { AttackPart } from './part.ts'

export const PARTS: readonly AttackPart[] = [heavyRequests]
