import { aiSdk } from './hosts/ai-sdk.ts'
import { claudeCode } from './hosts/claude-code.ts'
import { cline } from './hosts/cline.ts'
import { codex, codexThatPrograms, codexThatSearches } from './hosts/codex.ts'
import { continueCli } from './hosts/continue.ts'
import { copilotCli } from './hosts/copilot-cli.ts'
import { geminiCli } from './hosts/gemini-cli.ts'
import { inspector } from './hosts/inspector.ts'
import { langchain } from './hosts/langchain.ts'
import { mcpRemote } from './hosts/mcp-remote.ts'
import { openaiAgents } from './hosts/openai-agents.ts'
import { openCode } from './hosts/opencode.ts'
import { qwenCode } from './hosts/qwen-code.ts'
import type { Host } from './session.ts'

/** Every client that is automated. */
export const HOSTS: readonly Host[] = [
  claudeCode,
  codex,
  codexThatSearches,
  codexThatPrograms,
  geminiCli,
  openCode,
  copilotCli,
  qwenCode,
  cline,
  continueCli,
  aiSdk,
  openaiAgents,
  langchain,
  inspector,
  mcpRemote,
]
