import { aiSdk } from './hosts/ai-sdk.ts'
import { claudeCode } from './hosts/claude-code.ts'
import { codex } from './hosts/codex.ts'
import { geminiCli } from './hosts/gemini-cli.ts'
import { langchain } from './hosts/langchain.ts'
import { mcpRemote } from './hosts/mcp-remote.ts'
import { openCode } from './hosts/opencode.ts'
import type { Host } from './session.ts'

/** Every client that is driven. */
export const HOSTS: readonly Host[] = [claudeCode, codex, geminiCli, openCode, aiSdk, langchain, mcpRemote]
