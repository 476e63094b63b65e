import type {
  ConversationDeclaration,
  Property,
  Relationship,
  StreamDeclaration,
  View,
} from '../model/declaration/declaration.ts'
import { ANY_RANGE } from './field-types.ts'

/** What is special about a stream of messages, notes or other records that have an id and a time. */
export interface RecordStream {
  name: string
  semantics?: StreamDeclaration['semantics']
  display: { label: string; detail: string }
  required: string[]
  properties: Record<string, Partial<Property>>
  conversation?: ConversationDeclaration
  relationships?: Relationship[]
  /** The field that sorts the records and that time bounds of grants look at. */
  time: string
  views?: View[]
  /** Fields whose words are found. */
  search: string[]
  /** Fields that can be filtered by any range. */
  ranges: string[]
  /** In addition to counting. */
  aggregations: Omit<NonNullable<NonNullable<StreamDeclaration['query']>['aggregations']>, 'count'>
}

/** The stream of records of a source: found by their words, sorted and granted by their time, and counted. */
export function recordStream(stream: RecordStream): StreamDeclaration {
  const { name, semantics = 'mutable_state', display, required, properties, conversation, time } = stream
  return {
    name,
    semantics,
    display,
    schema: {
      type: 'object',
      required,
      properties,
      ...(conversation ? { x_pdpp_conversation: conversation } : {}),
    } as StreamDeclaration['schema'],
    primary_key: ['id'],
    cursor_field: time,
    consent_time_field: time,
    selection: { fields: true, resources: true },
    ...(stream.views ? { views: stream.views } : {}),
    ...(stream.relationships ? { relationships: stream.relationships } : {}),
    query: {
      search: { lexical_fields: stream.search },
      range_filters: Object.fromEntries(stream.ranges.map(field => [field, ANY_RANGE])),
      aggregations: { count: true, ...stream.aggregations },
    },
  }
}
