/** The states of an import. */
export const IMPORT_STATES = ['running', 'finished', 'failed'] as const
export type ImportState = (typeof IMPORT_STATES)[number]
