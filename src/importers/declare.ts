import {
  type ConversationDeclaration,
  type Declaration,
  fieldsWithRole,
  OWN_PUBLISHER,
  type OwnDeclaration,
  type Property,
  propertyOf,
  RANGE_OPERATORS,
  type RangeOperator,
  type Relationship,
  type StreamDeclaration,
  sourceIdOf,
  typesOf,
  type View,
} from '../model/declaration/declaration.ts'
import { isObject } from '../model/json.ts'
import * as f from './fields.ts'
import { recordIdOf } from './record-id.ts'

/** The operators for a field that can be filtered by range. */
export const ANY_RANGE: RangeOperator[] = [...RANGE_OPERATORS]

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
  label: string
  detail: string
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
  /** Parts of a record that can be granted without the rest, by their ids. The id of the record is in each of them. */
  views?: Record<string, Omit<View, 'id'>>
  /** Fields that can be searched. */
  search: string[]
  /** Fields that can be filtered by range. */
  ranges: string[]
  // Aggregations, besides counting. By default `min`, `max` and `group_by_time` are those of the time field.
  sum?: string[]
  min?: string[]
  max?: string[]
  group_by?: string[]
  group_by_time?: string[]
  count_distinct?: string[]
}

/** Declares a stream of records that can be searched, sorted, granted by time and counted. */
export function recordStream(stream: RecordStream): StreamDeclaration {
  const { name, label, detail, conversation, own, time, views, relationships } = stream
  const { sum, min = [time], max = [time], group_by, group_by_time = [time], count_distinct } = stream
  return {
    name,
    semantics: 'mutable_state',
    display: { label, detail },
    schema: {
      type: 'object',
      required: ['id', ...(stream.required ?? [])],
      properties: { id: { type: 'string' }, ...stream.properties },
      ...(conversation && { x_pdpp_conversation: conversation }),
      ...(own && { x_pdpp_own: own }),
    } as StreamDeclaration['schema'],
    primary_key: ['id'],
    cursor_field: time,
    consent_time_field: time,
    selection: { fields: true, resources: true },
    ...(views && { views: Object.entries(views).map(viewOf) }),
    ...(relationships && { relationships }),
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

function viewOf([id, { label, fields }]: [string, Omit<View, 'id'>]): View {
  return { id, label, fields: ['id', ...fields] }
}

export const TEXT_FIELD = 'attachment_text'
export const PAGES_FIELD = 'attachment_pages'

/**
 * Declares the texts of a stream's attachments and makes them searchable. A stream without attachments is returned
 * unchanged.
 */
function withAttachmentTexts(stream: StreamDeclaration): StreamDeclaration {
  if (attachmentField(stream) === undefined) return stream
  const { search } = stream.query ?? {}
  return {
    ...stream,
    schema: {
      ...stream.schema,
      properties: {
        ...stream.schema.properties,
        [TEXT_FIELD]: { type: 'array', items: f.TEXT, x_pdpp_pages: PAGES_FIELD },
        [PAGES_FIELD]: { type: 'array', items: f.PAGES },
      },
    },
    query: {
      ...stream.query,
      search: { ...search, lexical_fields: [...(search?.lexical_fields ?? []), TEXT_FIELD] },
    },
  }
}

/** Caches which field of a stream lists the files of a record. */
const attachmentFields = new WeakMap<StreamDeclaration, { field: string | undefined }>()

export function attachmentField(stream: StreamDeclaration): string | undefined {
  let known = attachmentFields.get(stream)
  if (!known) {
    known = { field: findAttachmentField(stream) }
    attachmentFields.set(stream, known)
  }
  return known.field
}

function findAttachmentField(stream: StreamDeclaration): string | undefined {
  return fieldsWithRole(stream, ['attachment']).find(field => {
    const property = propertyOf(stream, field)
    const items = isObject(property?.items) ? property.items : {}
    const members = isObject(items.properties) ? items.properties : {}
    return typesOf(property).includes('array') && Object.hasOwn(members, 'blob_id')
  })
}
