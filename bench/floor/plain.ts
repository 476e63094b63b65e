import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'

type Param = string | number
export type Row = Record<string, string | number | null>
export type Statement = (...params: Param[]) => Row[] | Promise<Row[]>

/** The plain driver. `?` is a parameter. */
export interface Plain extends AsyncDisposable {
  prepare(sql: string): Statement
  exec(sql: string): Promise<void>
}

export function openSqlite(path: string): Plain {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA busy_timeout = 30000; PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL; PRAGMA cache_size = -${32 * 1024}; PRAGMA temp_store = MEMORY;`)
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      return (...params) => statement.all(...(params as SQLInputValue[])) as Row[]
    },
    async exec(sql) {
      database.exec(sql)
    },
    async [Symbol.asyncDispose]() {
      database.close()
    },
  }
}

const CONNECTIONS = 16

/** As many connections as there are requests in flight at most; sequential requests all use the same warm one. */
export async function openPostgres(url: string): Promise<Plain> {
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = new pg.Client({ connectionString: url, options: '-c jit=off' })
      await client.connect()
      return client
    }),
  )
  const free = [...clients]
  let statements = 0
  const query = async (config: pg.QueryConfig) => {
    const client = free.pop()
    if (!client) throw new Error('More requests are in flight than the floor has connections.')
    try {
      return (await client.query(config)).rows
    } finally {
      free.push(client)
    }
  }
  return {
    prepare(sql) {
      let n = 0
      const text = sql.replaceAll('?', () => `$${++n}`)
      const name = `floor_${++statements}`
      return (...values) => query({ name, text, values })
    },
    async exec(sql) {
      await query({ text: sql })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map(client => client.end()))
    },
  }
}
