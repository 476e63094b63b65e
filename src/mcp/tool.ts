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

/** What a tool returns: both channels, each sufficient on its own, and what only hosts read. */
export interface ToolAnswer {
  text: string
  structured: JsonObject
  links?: ResourceLink[] | undefined
  meta?: JsonObject
}

/** One tool, as a value. Every tool reads and changes nothing (HO-5). */
export interface Tool {
  name: string
  title: string
  description: string
  /** Words that people look for, for hosts that find tools by a search. */
  hint: string
  /** Whether a host that looks for tools should always have it at hand. */
  isFirst?: true
  input: ObjectSchema
  /** All that a result carries; tools/list shows it shorter. */
  output: ObjectSchema
  /** Other names that are accepted for arguments, and not advertised. */
  aliases?: Readonly<Record<string, string>>
  /** Gets arguments that follow the input schema. */
  run(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer>
}
