import type { Row } from './row.ts'
import { concurrent } from './rows/concurrent.ts'
import { count, countByMonth } from './rows/counts.ts'
import { ingest } from './rows/ingest.ts'
import { ledger } from './rows/ledger.ts'
import { mcp } from './rows/mcp.ts'
import { memory } from './rows/memory.ts'
import { page } from './rows/page.ts'
import { pages } from './rows/pages.ts'
import { record } from './rows/record.ts'
import { schema } from './rows/schema.ts'
import { search } from './rows/search.ts'
import { stall } from './rows/stall.ts'
import { ways } from './rows/ways.ts'
import { windowByMatch } from './rows/window-by-match.ts'
import { windows } from './rows/windows.ts'

/**
 * Every row, in the order of measurement. A new subject is a file in rows/ and a line here, before `ledger`, because
 * from there on the store is changed.
 */
export const ROWS: readonly Row[] = [
  ingest,
  record,
  page,
  windows,
  windowByMatch,
  count,
  countByMonth,
  schema,
  concurrent,
  search,
  ways,
  mcp,
  ledger,
  pages,
  stall,
  memory,
]
