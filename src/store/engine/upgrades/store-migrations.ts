import { STORE_TABLES } from './store-tables.ts'

/** Statements, and the number of the state that the tables are in after them. */
export type Migration = readonly [no: number, sql: string]

/** Applied once each, in order. A released entry is never edited; the states before the first were never released. */
export const STORE_MIGRATIONS: readonly Migration[] = [[25, STORE_TABLES]]
