import type { Tool } from './tool.ts'
import { aggregate } from './tools/aggregate.ts'
import { fetch } from './tools/fetch.ts'
import { queryRecords } from './tools/query-records.ts'
import { readConversation } from './tools/read-conversation.ts'
import { readRecordField } from './tools/read-record-field.ts'
import { schema } from './tools/schema.ts'
import { search } from './tools/search.ts'

/** Every tool, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  schema,
  queryRecords,
  aggregate,
  search,
  fetch,
  readRecordField,
  readConversation,
]
