import type { Transaction } from '../database.ts'

/** Statements that define tables, or a function if stored values change their form. */
export type Migration = string | ((transaction: Transaction) => Promise<void>)
