/** One field of each item. */
export function valuesOf<Item extends object, Name extends keyof Item>(
  items: readonly Item[],
  name: Name,
): Item[Name][] {
  return items.map(item => item[name])
}

/** These fields of each item, as a row of a table. */
export function rowsOf<Item extends object, Name extends keyof Item>(
  items: readonly Item[],
  ...names: Name[]
): Item[Name][][] {
  return items.map(item => names.map(name => item[name]))
}
