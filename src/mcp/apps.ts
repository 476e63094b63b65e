import { EVIDENCE_PAGE } from './apps/evidence-page.ts'
import { showEvidence } from './apps/show-evidence.ts'
import type { Tool } from './tool.ts'

/** The extension with which a client declares that it shows a server's pages (MCP Apps). */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'
export const APP_TYPE = 'text/html;profile=mcp-app'

export interface AppTool extends Tool {
  /** The URI of the page that shows its results. */
  page: string
}

/** The tools with a page, listed only for clients that show pages. */
export const APP_TOOLS: readonly AppTool[] = [showEvidence]

/** Every page by its URI. A page contains no data: the host passes it the result of a call. */
export const APP_PAGES: ReadonlyMap<string, string> = new Map([[showEvidence.page, EVIDENCE_PAGE]])
