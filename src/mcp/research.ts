import { fetch } from './research/fetch.ts'
import { search } from './research/search.ts'
import type { Tool } from './tool.ts'

/** The tools of `/mcp/research`: exactly what hosts expect that search and fetch by themselves. */
export const RESEARCH_TOOLS: readonly Tool[] = [search, fetch]
