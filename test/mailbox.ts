/** The members of a test source's declaration besides its streams. Its id ends with the key. */
export function source(key: string, name = key) {
  return {
    protocol_version: '0.1.0',
    source: { kind: 'connector', id: sourceId(key) },
    declaration_version: '1.0.0',
    publisher: { id: 'https://sources.example/' },
    display: { name },
  }
}

export function sourceId(key: string): string {
  return `https://sources.example/${key}`
}

/** Stream members for tests in which they do not matter. */
export const SELECTABLE = { semantics: 'mutable_state', selection: { fields: true, resources: true } }

/** A stream of records with an id and these fields; `more` adds members to it, and to its schema. */
export function stream<Fields extends object, More extends object = object>(
  name: string,
  fields: Fields,
  more = {} as More & { schema?: object },
) {
  const { schema, ...members } = more
  const properties = { id: { type: 'string' }, ...fields }
  return {
    ...SELECTABLE,
    name,
    schema: { type: 'object', required: ['id'], properties, ...schema },
    primary_key: ['id'],
    ...members,
  }
}

/** A field by which records are sorted, and to which the time bounds of grants apply. */
export function byTime(field: string) {
  return { cursor_field: field, consent_time_field: field }
}

/** The declaration that most tests use: mail with a title, a text, a time and a nested part. */
export const MAILBOX = {
  ...source('mailbox', 'Mailbox'),
  streams: [
    {
      name: 'messages',
      semantics: 'mutable_state',
      selection: { fields: true, resources: true },
      display: { label: 'Your e-mail', detail: 'Sender, subject, date and text.' },
      schema: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          subject: { type: ['string', 'null'], x_pdpp_role: 'primary-title' },
          body: { type: ['string', 'null'], contentMediaType: 'text/plain' },
          from: { type: 'string', x_pdpp_role: 'actor' },
          size: { type: ['integer', 'null'] },
          parts: { type: 'array' },
          secret: { type: ['string', 'null'] },
          received_at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
        },
        x_pdpp_conversation: { key: 'subject', order: ['received_at'] },
      },
      primary_key: ['id'],
      cursor_field: 'received_at',
      consent_time_field: 'received_at',
      views: [{ id: 'envelope', label: 'No body', fields: ['id', 'subject', 'received_at'] }],
      query: {
        search: { lexical_fields: ['subject', 'body', 'from'] },
        range_filters: { received_at: ['gte', 'gt', 'lte', 'lt'], size: ['gte', 'gt', 'lte', 'lt'] },
        aggregations: {
          count: true,
          group_by: ['from'],
          group_by_time: ['received_at'],
          count_distinct: ['from'],
          sum: ['size'],
          min: ['size', 'received_at'],
          max: ['size', 'received_at'],
        },
      },
    },
    {
      name: 'notes',
      semantics: 'mutable_state',
      selection: { fields: true, resources: true },
      schema: { type: 'object', properties: { id: { type: 'string' }, text: { type: 'string' } } },
      primary_key: ['id'],
    },
  ],
}

export function message(id: string, more: Record<string, unknown> = {}): { data: Record<string, unknown> } {
  return {
    data: {
      id,
      from: 'ada@example.org',
      subject: `Subject ${id}`,
      received_at: '2026-01-02T03:04:05Z',
      ...more,
    },
  }
}
