import type { Declaration } from '../../model/declaration/declaration.ts'
import { ANY_RANGE, COUNT, declareSource, EVENT_TIME, files, PLAIN_TEXT, TEXT, TEXTS } from '../declare.ts'

const LABELLED = {
  type: 'array',
  items: { type: 'object', properties: { value: { type: 'string' }, label: TEXT } },
}

export const CONTACTS: Declaration = declareSource('contacts', 'Contacts', [
  {
    name: 'contacts',
    semantics: 'mutable_state',
    display: {
      label: 'Your contacts',
      detail: 'Names, addresses, phone numbers, birthdays, notes and pictures.',
    },
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string' },
        name: { ...TEXT, x_pdpp_role: ['primary-title', 'participant'] },
        given_name: TEXT,
        family_name: TEXT,
        nickname: { ...TEXT, x_pdpp_role: 'participant' },
        organization: TEXT,
        job_title: TEXT,
        emails: LABELLED,
        phones: LABELLED,
        addresses: LABELLED,
        links: TEXTS,
        birthday: TEXT,
        note: PLAIN_TEXT,
        categories: { ...TEXTS, x_pdpp_role: 'label' },
        attachments: files({ blob_id: { type: 'string' }, name: TEXT, mime_type: TEXT, size_bytes: COUNT }),
        updated_at: EVENT_TIME,
        source_id: TEXT,
      },
    },
    primary_key: ['id'],
    cursor_field: 'updated_at',
    selection: { fields: true, resources: true },
    views: [
      { id: 'names', label: 'Names only', fields: ['id', 'name', 'nickname', 'organization'] },
      {
        id: 'reach',
        label: 'Names, mail addresses and phone numbers',
        fields: ['id', 'name', 'emails', 'phones'],
      },
    ],
    query: {
      search: {
        lexical_fields: [
          'name',
          'nickname',
          'organization',
          'job_title',
          'emails',
          'phones',
          'addresses',
          'note',
          'categories',
        ],
      },
      range_filters: { updated_at: ANY_RANGE },
      aggregations: { count: true, group_by: ['organization'], group_by_time: ['updated_at'] },
    },
  },
])
