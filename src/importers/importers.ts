import type { Importer } from './importer.ts'

/** Every format that can be imported. Of two that claim equally many items, the earlier wins. */
export const IMPORTERS: readonly Importer[] = []
