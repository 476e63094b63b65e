import type { Declaration } from '../../model/declaration/declaration.ts'
import type { JsonObject } from '../../model/json.ts'
import { record } from '../events.ts'
import type { Recognise } from '../importer.ts'
import { nameIn } from '../reading/attached-files.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { objectItems, parsedObject, writtenObjects } from '../reading/json-objects.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { startOf } from '../utf8.ts'
import { claudeCodeTurn, isClaudeCode } from './claude-code-line.ts'
import { codexTurn, isCodex, sessionIn } from './codex-line.ts'
import { CLAUDE_CODE, CODEX } from './declaration.ts'
import type { Session, Turn } from './turn.ts'

const START_BYTES = 256 * 1024
const TURN_BYTES = 1_500
const TITLE_CHARS = 100

interface Agent {
  format: string
  stream: string
  declaration: Declaration
  isLog(line: JsonObject): boolean
  /** Facts about the whole session, from the first lines of its log. */
  sessionOf(lines: readonly JsonObject[], file: SourceFile): Session
  turnOf(line: JsonObject, session: Session): Turn | null
}

const AGENTS: readonly Agent[] = [
  {
    format: 'claude-code',
    stream: 'claude_code_messages',
    declaration: CLAUDE_CODE,
    isLog: isClaudeCode,
    sessionOf: (_, file) => ({ id: nameOf(file), folder: null }),
    turnOf: claudeCodeTurn,
  },
  {
    format: 'codex',
    stream: 'codex_messages',
    declaration: CODEX,
    isLog: isCodex,
    sessionOf: (lines, file) => sessionIn(lines) ?? { id: nameOf(file), folder: null },
    turnOf: codexTurn,
  },
]

export const recognise: Recognise = async (files, _, format) => {
  const agent = AGENTS.find(each => each.format === format)
  const logs: SourceFile[] = []
  for (const file of files) if ((await firstLines(file)).some(line => agent?.isLog(line))) logs.push(file)
  if (!agent || logs.length === 0) return null
  return findingOf(agent.declaration, logs, TURN_BYTES, () => file => turnItems(file, agent))
}

async function firstLines(file: SourceFile): Promise<JsonObject[]> {
  const { bytes } = await startOf(file, START_BYTES)
  return bytes
    .toString('utf8')
    .split('\n', 50)
    .map(line => parsedObject(line).value)
    .filter(line => line !== null)
}

async function* turnItems(file: SourceFile, agent: Agent): AsyncGenerator<FileItem> {
  const lines = await firstLines(file)
  const session = agent.sessionOf(lines, file)
  const title = titleOf(lines.flatMap(line => agent.turnOf(line, session) ?? []))
  yield* objectItems(writtenObjects(file), (line, { place, index }) => {
    const turn = agent.turnOf(line, session)
    if (!turn) return []
    const { session: ownSession, ...facts } = turn
    const position = index + 1
    const session_id = recordIdOf(`${agent.format} session`, ownSession)
    const id = recordIdOf(`${agent.format} message`, ownSession, turn.source_id ?? `line ${position}`)
    const data = { id, session_title: title, session_id, position, ...facts }
    return [record(agent.stream, place, data)]
  })
}

/** The first words that the person wrote. */
function titleOf(turns: readonly Turn[]): string | null {
  const first = turns.find(
    ({ role, kind, text }) => role === 'user' && kind === 'message' && !/^\s*</.test(text ?? '<'),
  )
  const words = first?.text?.trim().split('\n')[0] ?? null
  return words !== null && words.length > TITLE_CHARS ? `${words.slice(0, TITLE_CHARS)}…` : words
}

function nameOf({ path }: SourceFile): string {
  return nameIn(path).replace(/\.jsonl$/i, '')
}
