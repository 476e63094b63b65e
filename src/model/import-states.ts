/** How an import ends, or that it has not ended. */
export const IMPORT_STATES = ['running', 'finished', 'failed'] as const
export type ImportState = (typeof IMPORT_STATES)[number]
