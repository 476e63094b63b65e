import type { Queryable, Value, Writable } from './database.ts'
import type { Row, Table } from './table.ts'

/** Columns and the values that rows have in them. */
type Values<T extends Table> = { readonly [Name in keyof T['columns']]?: NonNullable<Row<T>[Name]> }
type Column<T extends Table> = keyof T['columns'] & string

/** A row with these values. */
export function findRow<T extends Table, Name extends Column<T>>(
  database: Queryable,
  table: T,
  columns: readonly Name[],
  values: Values<T>,
): Promise<Pick<Row<T>, Name> | undefined> {
  const sql = `SELECT ${columns.join(', ')} FROM ${table.name}${having(values)} LIMIT 1`
  return database.get(sql, params(values))
}

/** All rows with these values, in the order of some columns. */
export function listRows<T extends Table, Name extends Column<T>>(
  database: Queryable,
  table: T,
  columns: readonly Name[],
  values: Values<T>,
  order: readonly Column<T>[] = [],
): Promise<Pick<Row<T>, Name>[]> {
  const sorted = order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`
  const sql = `SELECT ${columns.join(', ')} FROM ${table.name}${having(values)}${sorted}`
  return database.all(sql, params(values))
}

/** Sets columns of the rows with these values, and returns how many there are. */
export function changeRows<T extends Table>(
  database: Writable,
  table: T,
  changes: Partial<Row<T>>,
  values: Values<T>,
): Promise<number> {
  const set = Object.keys(changes).map(column => `${column} = ?`)
  const sql = `UPDATE ${table.name} SET ${set.join(', ')}${having(values)}`
  return database.run(sql, [...params(changes), ...params(values)])
}

/** Deletes the rows with these values, and returns how many there were. */
export function deleteRows<T extends Table>(
  database: Writable,
  table: T,
  values: Values<T>,
): Promise<number> {
  return database.run(`DELETE FROM ${table.name}${having(values)}`, params(values))
}

function having(values: object): string {
  const conditions = Object.keys(values).map(column => `${column} = ?`)
  return ` WHERE ${conditions.join(' AND ')}`
}

function params(values: object): Value[] {
  return Object.values(values)
}
