import type { JsonObject } from '../model/json.ts'
import type { ResourceServerClient } from './reading/resource-server-client.ts'

/** A JSON Schema, as it is advertised. */
export interface ObjectSchema {
  type: 'object'
  properties: Record<string, object>
  required?: string[]
  additionalProperties?: boolean
  [keyword: string]: unknown
}

export interface ResourceLink {
  uri: string
  name: string
  mimeType?: string
  size?: number
}

/** What a tool returns: text and structured content, each sufficient on its own, and what only hosts read. */
export interface ToolAnswer {
  text: string
  structured: JsonObject
  links?: ResourceLink[] | undefined
  meta?: JsonObject
}

/** One tool, as a value. Tools only read (HO-5). */
export interface Tool {
  name: string
  title: string
  description: string
  /** Words that people search for, for hosts that find tools by search. */
  hint: string
  /** Whether a host that searches for tools should always load this one. */
  isFirst?: true
  input: ObjectSchema
  /** Everything that a result contains; tools/list shows a shorter form. */
  output: ObjectSchema
  /** Other names that are accepted for arguments but not advertised. */
  aliases?: Readonly<Record<string, string>>
  /** Called with arguments that match the input schema. */
  run(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer>
}
