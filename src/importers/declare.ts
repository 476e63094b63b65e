import {
  type ConversationDeclaration,
  type Declaration,
  OWN_PUBLISHER,
  type OwnDeclaration,
  type Property,
  type Relationship,
  type StreamDeclaration,
  sourceIdOf,
  type View,
} from '../model/declaration/declaration.ts'
import { withAttachmentTexts } from './extraction/attachment-fields.ts'
import { ANY_RANGE } from './field-types.ts'
import { recordIdOf } from './record-id.ts'

/** The declaration of one of our own sources. The key never changes; the version is a hash of the streams. */
export function declareSource(
  connector_key: string,
  name: string,
  declared: StreamDeclaration[],
): Declaration {
  const streams = declared.map(withAttachmentTexts)
  return {
    protocol_version: '0.1.0',
    source: { kind: 'connector', id: sourceIdOf(connector_key) },
    declaration_version: recordIdOf(JSON.stringify(streams)),
    publisher: { id: OWN_PUBLISHER },
    display: { name },
    streams,
  }
}

/** What is specific to a stream of messages, notes or other records with an id and a time. */
interface RecordStream {
  name: string
  semantics?: StreamDeclaration['semantics']
  display: { label: string; detail: string }
  /** Fields that every record has, besides the id. */
  required?: string[]
  /** The fields, besides the id. */
  properties: Record<string, Partial<Property>>
  conversation?: ConversationDeclaration
  /** Which records the owner wrote, if the source says so. */
  own?: OwnDeclaration
  relationships?: Relationship[]
  /** The time field by which records are sorted and to which the time bounds of grants apply. */
  time: string
  views?: View[]
  /** Fields that can be searched. */
  search: string[]
  /** Fields that can be filtered by range. */
  ranges: string[]
  /** Aggregations, besides counting and those of the time field. */
  aggregations?: Omit<NonNullable<NonNullable<StreamDeclaration['query']>['aggregations']>, 'count'>
}

/** Declares a stream of records that can be searched, sorted, granted by time and counted. */
export function recordStream(stream: RecordStream): StreamDeclaration {
  const { name, semantics = 'mutable_state', display, conversation, own, time, aggregations = {} } = stream
  const { sum, min = [time], max = [time], group_by, group_by_time = [time], count_distinct } = aggregations
  return {
    name,
    semantics,
    display,
    schema: {
      type: 'object',
      required: ['id', ...(stream.required ?? [])],
      properties: { id: { type: 'string' }, ...stream.properties },
      ...(conversation ? { x_pdpp_conversation: conversation } : {}),
      ...(own ? { x_pdpp_own: own } : {}),
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
      aggregations: {
        count: true,
        ...(sum && { sum }),
        min,
        max,
        ...(group_by && { group_by }),
        group_by_time,
        ...(count_distinct && { count_distinct }),
      },
    },
  }
}
