import { fetch } from './research/fetch.ts'
import { search } from './research/search.ts'
import type { Tool } from './tool.ts'

/** The tools of `/mcp/research`: exactly those that hosts with their own search and fetch expect. */
export const RESEARCH_TOOLS: readonly Tool[] = [search, fetch]
