import { isObject, type Json, type JsonObject, objectsIn } from '../../model/json.ts'
import { objectIn, textIn } from '../reading/json-values.ts'

interface Content {
  text: string | null
  thinking: string | null
  artifacts: JsonObject[]
  tool_calls: JsonObject[]
}

/** An artifact in an older conversation, where it is part of the text. */
const ARTIFACT =
  /<antArtifact\b((?:(?!<antArtifact\b)[^>])*)>((?:(?!<antArtifact\b)[\s\S])*?)<\/antArtifact>/g
const THINKING = /<antThinking>((?:(?!<antThinking>)[\s\S])*?)<\/antThinking>/g

/** The readable text of a message, and what Claude shows beside it. */
export function contentOf(message: JsonObject): Content {
  const read: Blocks = { written: [], thinking: [], artifacts: [], calls: [] }
  const { written, thinking, artifacts, calls } = read
  const blocks = Array.isArray(message.content) ? message.content : []
  for (const block of blocks) {
    if (typeof block === 'string') written.push(block)
    else if (isObject(block)) takeBlock(block, read)
  }
  const inBlocks = written.filter(text => text.trim() !== '').join('\n\n')
  const said = textIn(message.content) ?? (inBlocks === '' ? textIn(message.text) : inBlocks) ?? ''
  const text = said
    .replace(THINKING, (_, thought: string) => {
      thinking.push(thought.trim())
      return ''
    })
    .replace(ARTIFACT, (_, attributes: string, body: string) => {
      const artifact = taggedArtifact(attributes, body)
      artifacts.push(artifact)
      return `[Artifact: ${artifact.title ?? artifact.name ?? 'untitled'}]`
    })
    .trim()
  return {
    text: text === '' ? null : text,
    thinking: thinking.length === 0 ? null : thinking.join('\n\n'),
    artifacts,
    tool_calls: calls.map(({ tool, input, result }) => ({ tool, input, result })),
  }
}

interface ToolCall {
  id: string | null
  tool: string | null
  input: string | null
  result: string | null
}

/** The blocks of a message by their kinds. */
interface Blocks {
  written: string[]
  thinking: string[]
  artifacts: JsonObject[]
  calls: ToolCall[]
}

function takeBlock(block: JsonObject, { written, thinking, artifacts, calls }: Blocks): void {
  if (block.type === 'thinking') {
    const thought = textIn(block.thinking) ?? textIn(block.text)
    if (thought !== null) thinking.push(thought)
  } else if (block.type === 'tool_use') {
    const input = objectIn(block.input)
    if (block.name === 'artifacts') artifacts.push(calledArtifact(input))
    else if (block.name === 'create_file' && textIn(input.file_text) !== null)
      artifacts.push(writtenFile(input))
    else {
      const call = { id: textIn(block.id), tool: textIn(block.name), input: JSON.stringify(input) }
      calls.push({ ...call, result: null })
    }
  } else if (block.type === 'tool_result') {
    const result = resultText(block.content)
    const id = textIn(block.tool_use_id)
    const tool = textIn(block.name)
    const open =
      calls.find(call => id !== null && call.id === id) ??
      calls.find(call => call.id === null && call.tool === tool && call.result === null)
    if (open) open.result = result
    else if (tool !== 'artifacts' && tool !== 'create_file' && result !== null)
      calls.push({ id, tool, input: null, result })
  } else {
    const text = textIn(block.text)
    if (text !== null) written.push(text)
  }
}

function resultText(content: Json | undefined): string | null {
  const parts = objectsIn(content).map(part => textIn(part.text) ?? textIn(part.title) ?? '')
  return textIn(content) ?? (parts.filter(part => part !== '').join('\n') || null)
}

/** An artifact that a tool call creates or changes. A change contains the old and the new text. */
function calledArtifact(input: JsonObject): JsonObject {
  const changed = [textIn(input.old_str), textIn(input.new_str)].filter(text => text !== null)
  return {
    name: textIn(input.id),
    title: textIn(input.title),
    mime_type: textIn(input.type),
    language: textIn(input.language),
    text: textIn(input.content) ?? (changed.length === 0 ? null : changed.join('\n→\n')),
  }
}

/** A document that Claude writes as a file. */
function writtenFile({ path, file_text }: JsonObject): JsonObject {
  const name = textIn(path)
  const title = name?.replace(/^.*\//, '') ?? null
  return { name, title, mime_type: null, language: null, text: textIn(file_text) }
}

function taggedArtifact(attributes: string, body: string): JsonObject {
  const named = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] || null
  return {
    name: named('identifier'),
    title: named('title'),
    mime_type: named('type'),
    language: named('language'),
    text: body.trim(),
  }
}
