import type { Check } from './check.ts'
import { AGGREGATION } from './checks/aggregation.ts'
import { ANSWERS } from './checks/answers.ts'
import { BLOBS } from './checks/blobs.ts'
import { CHANGES } from './checks/changes.ts'
import { DECLARATIONS } from './checks/declarations.ts'
import { DISCOVERY } from './checks/discovery.ts'
import { GRANTS } from './checks/grants.ts'
import { OWNER } from './checks/owner.ts'
import { RECORDS } from './checks/records.ts'
import { REQUESTS } from './checks/requests.ts'
import { SEARCH } from './checks/search.ts'
import { STREAMS } from './checks/streams.ts'
import { TOKENS } from './checks/tokens.ts'
import { WRITING } from './checks/writing.ts'

/** Every check, with those that write at the end. */
export const CHECKS: readonly Check[] = [
  ...ANSWERS,
  ...DISCOVERY,
  ...STREAMS,
  ...RECORDS,
  ...CHANGES,
  ...BLOBS,
  ...SEARCH,
  ...AGGREGATION,
  ...OWNER,
  ...REQUESTS,
  ...TOKENS,
  ...DECLARATIONS,
  ...GRANTS,
  ...WRITING,
]
