/** The kinds of items that the owner saves in the console. */
export type OwnerItemKind = 'search' | 'person' | 'alert'
