import type { Transaction } from '../database.ts'

/** Statements that define tables, or a function where stored values change their form. */
export type Migration = string | ((transaction: Transaction) => Promise<void>)
