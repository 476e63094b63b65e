/** A column's type; `?` allows null. */
export type ColumnType = 'text' | 'text?' | 'bigint' | 'bigint?' | 'bytes'
type Columns = Readonly<Record<string, ColumnType>>

/** The definition of a table that reads and writes by column name need. */
export interface Table<C extends Columns = Columns> {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: C
}

interface Values {
  text: string
  'text?': string | null
  bigint: number
  'bigint?': number | null
  bytes: Uint8Array
}

/** A row with all columns of a table. */
export type Row<T extends Table> = { -readonly [Name in keyof T['columns']]: Values[T['columns'][Name]] }

type Nullable<C extends Columns> = {
  [Name in keyof C]: null extends Values[C[Name]] ? Name : never
}[keyof C]

/** A row to write; a column that allows null may be left out. */
export type NewRow<T extends Table> = Omit<Row<T>, Nullable<T['columns']>> &
  Partial<Pick<Row<T>, Nullable<T['columns']>>>

export function table<const C extends Columns>(
  name: string,
  key: readonly (keyof C & string)[],
  columns: C,
): Table<C> {
  return { name, key, columns }
}

/** Several columns of one type. */
export function each<const Type extends ColumnType, const Name extends string>(
  type: Type,
  ...names: Name[]
): Record<Name, Type> {
  return Object.fromEntries(names.map(name => [name, type])) as Record<Name, Type>
}

/** The names of a table's columns, in order, except for some. */
export function columnsOf<T extends Table, Left extends keyof T['columns'] = never>(
  { columns }: T,
  without: readonly Left[] = [],
): Exclude<keyof T['columns'] & string, Left>[] {
  const left: readonly unknown[] = without
  return Object.keys(columns).filter(name => !left.includes(name)) as never
}

/** What to do with rows whose key exists: see `Queryable`. */
export type Conflict = 'fail' | 'ignore' | { update: string | undefined }

/** The statement that inserts rows; `source` is the part with the values. */
export function insertStatement({ name, key, columns }: Table, source: string, conflict: Conflict): string {
  const names = Object.keys(columns)
  return `INSERT INTO ${name} AS t (${names.join(', ')}) ${source} ${onConflict()}`

  function onConflict(): string {
    if (conflict === 'fail') return ''
    if (conflict === 'ignore') return 'ON CONFLICT DO NOTHING'
    const rest = names.filter(column => !key.includes(column))
    const update = conflict.update ?? rest.map(column => `${column} = excluded.${column}`).join(', ')
    return `ON CONFLICT (${key.join(', ')}) DO ${update === '' ? 'NOTHING' : `UPDATE SET ${update}`}`
  }
}
