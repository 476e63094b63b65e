import type {
  ConversationDeclaration,
  Property,
  Relationship,
  StreamDeclaration,
  View,
} from '../model/declaration/declaration.ts'
import { ANY_RANGE } from './field-types.ts'

/** The specifics of a stream of messages, notes or other records with an id and a time. */
export interface RecordStream {
  name: string
  semantics?: StreamDeclaration['semantics']
  display: { label: string; detail: string }
  required: string[]
  properties: Record<string, Partial<Property>>
  conversation?: ConversationDeclaration
  relationships?: Relationship[]
  /** The time field by which records are sorted and to which the time bounds of grants apply. */
  time: string
  views?: View[]
  /** Fields that can be searched. */
  search: string[]
  /** Fields that can be filtered by range. */
  ranges: string[]
  /** Aggregations besides counting. */
  aggregations: Omit<NonNullable<NonNullable<StreamDeclaration['query']>['aggregations']>, 'count'>
}

/** Declares a stream of records that can be searched, sorted, granted by time and counted. */
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
