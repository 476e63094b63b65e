import { cursors } from './cursors.ts'
import type { Fuzzer } from './fuzzer.ts'
import { http } from './http.ts'
import { handles, ids } from './ids.ts'
import { importers } from './importers.ts'
import { mcp } from './mcp.ts'
import { oauth } from './oauth.ts'
import { queries } from './queries.ts'

/** Every fuzzer. A new one is a file here and a line in this list. */
export const FUZZERS = [
  ids,
  handles,
  cursors,
  queries,
  importers,
  http,
  mcp,
  oauth,
] as readonly Fuzzer<unknown>[]
