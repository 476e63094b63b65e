/** The kinds of things that the owner notes for the console. */
export type OwnerItemKind = 'search' | 'person' | 'alert'
