import type {
  ConversationDeclaration,
  Declaration,
  Property,
  StreamDeclaration,
} from '../../model/declaration/declaration.ts'
import { ANY_RANGE, declareSource } from '../declare.ts'
import * as f from '../fields.ts'
import { recordIdOf } from '../record-id.ts'
import type { Column, Kind } from './columns.ts'
import type { TableConversation } from './conversation.ts'
import type { TableStream } from './streams.ts'

const TYPES: Record<Kind, Partial<Property>> = {
  integer: { type: ['number', 'null'] },
  number: { type: ['number', 'null'] },
  boolean: { type: ['boolean', 'null'] },
  date: { type: ['string', 'null'], format: 'date' },
  text: f.TEXT,
  texts: { type: ['array', 'null'] },
  object: { type: ['object', 'null'] },
  list: { type: ['array', 'null'] },
  mixed: {},
}

/** Each shape is a separate connector, because the sort and consent fields of a stream can never change. */
export function declarationOf(streams: readonly TableStream[]): Declaration {
  const declared = streams.map(streamDeclaration)
  return declareSource(`table-${recordIdOf(JSON.stringify(declared))}`, 'Table', declared)
}

function streamDeclaration(stream: TableStream): StreamDeclaration {
  const { columns, fields, roles, filePerRow, conversation } = stream
  const { time } = roles
  const properties: Record<string, Partial<Property>> = { [fields.id]: f.STRING }
  if (conversation?.key === null) properties[fields.file] = { type: 'string', x_pdpp_role: 'place' }
  if (conversation?.within === 'position') properties[fields.position] = { type: 'integer' }
  if (filePerRow) {
    const role = roles.title === null ? { x_pdpp_role: 'primary-title' } : {}
    properties[fields.file] = { type: 'string', ...role }
  }
  for (const column of columns) properties[column.name] = propertyOf(column, stream)
  if (time) {
    properties[fields.time] = f.EVENT_TIME
    properties[fields.localTime] = f.TEXT
  }
  properties[fields.other] = { type: ['object', 'null'] }
  const numbers = columns.filter(isFigure).map(({ name }) => name)
  const dates = columns.filter(({ kind }) => kind === 'date').map(({ name }) => name)
  const groups = columns.filter(column => isGroup(column, stream)).map(({ name }) => name)
  const ranged = [...(time ? [fields.time] : []), ...dates, ...numbers]
  const names = columns.map(({ title, name }) => title || name)
  return {
    name: stream.name,
    semantics: 'mutable_state',
    display: { label: `Your table "${stream.name}"`, detail: `Columns: ${names.join(', ').slice(0, 300)}.` },
    schema: {
      type: 'object',
      required: [fields.id],
      properties,
      ...(conversation ? { x_pdpp_conversation: declaredConversation(conversation, fields) } : {}),
    } as StreamDeclaration['schema'],
    primary_key: [fields.id],
    ...(time ? { cursor_field: fields.time, consent_time_field: fields.time } : {}),
    selection: { fields: true, resources: true },
    ...viewsOf(stream),
    query: {
      search: {
        lexical_fields: [...(filePerRow ? [fields.file] : []), ...searchable(columns), fields.other],
      },
      range_filters: Object.fromEntries(ranged.map(name => [name, ANY_RANGE])),
      aggregations: {
        count: true,
        sum: numbers,
        min: ranged,
        max: ranged,
        group_by: groups,
        count_distinct: groups,
        group_by_time: [...(time ? [fields.time] : []), ...dates],
      },
    },
  }
}

function declaredConversation(
  { key, byTime, within }: TableConversation,
  fields: TableStream['fields'],
): ConversationDeclaration {
  const last = within === 'position' ? [fields.position] : within ? [within.name] : []
  return { key: key?.name ?? fields.file, order: [...(byTime ? [fields.time] : []), ...last] }
}

function propertyOf(column: Column, stream: TableStream): Partial<Property> {
  const { title } = column
  const named = title !== '' && title !== column.name ? { title } : {}
  const type = { ...TYPES[column.kind], ...named }
  if (column === stream.roles.title) return { ...type, x_pdpp_role: 'primary-title' }
  if (column === stream.roles.text)
    return { ...type, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' }
  const role = OTHER_ROLES.find(name => stream.roles[name] === column)
  return role === undefined ? type : { ...type, x_pdpp_role: role }
}

const OTHER_ROLES = ['actor', 'recipient', 'place', 'label'] as const

function isFigure({ kind, name, timeOf }: Column): boolean {
  return (kind === 'integer' || kind === 'number') && timeOf === null && !/(^|_)id$|Id$/.test(name)
}

/** Records can be grouped by every column of plain values, except the text and the row's own id. */
function isGroup(column: Column, { roles: { text, key } }: TableStream): boolean {
  if (column === text || column === key || column.timeOf !== null) return false
  return column.kind === 'boolean' || column.kind === 'text'
}

function searchable(columns: readonly Column[]): string[] {
  const kinds: Kind[] = ['text', 'texts', 'object', 'list', 'mixed']
  return columns.filter(({ kind, timeOf }) => kinds.includes(kind) && timeOf === null).map(({ name }) => name)
}

function viewsOf({ columns, fields, roles: { text, time } }: TableStream): Pick<StreamDeclaration, 'views'> {
  if (text === null) return {}
  const others = columns.filter(column => column !== text).map(({ name }) => name)
  const shown = [fields.id, ...others, ...(time ? [fields.time] : [])]
  return { views: [{ id: 'without_text', label: `Everything but ${text.name}`, fields: shown }] }
}
