import type { Declaration } from '../../model/declaration/declaration.ts'
import { ANY_RANGE, declareSource } from '../declare.ts'
import * as f from '../fields.ts'

const LABELLED = { type: 'array', items: { type: 'object', properties: { value: f.STRING, label: f.TEXT } } }

export const CONTACTS: Declaration = declareSource('contacts', 'Contacts', [
  {
    name: 'contacts',
    semantics: 'mutable_state',
    display: {
      label: 'Your contacts',
      detail: 'Names, addresses, phone numbers, messengers, birthdays, relations, notes and pictures.',
    },
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: f.STRING,
        name: { ...f.TEXT, x_pdpp_role: ['primary-title', 'participant'] },
        given_name: f.TEXT,
        family_name: f.TEXT,
        nickname: { ...f.TEXT, x_pdpp_role: 'participant' },
        organization: f.TEXT,
        job_title: f.TEXT,
        emails: LABELLED,
        phones: LABELLED,
        addresses: LABELLED,
        links: f.TEXTS,
        profiles: LABELLED,
        birthday: f.TEXT,
        dates: LABELLED,
        related: LABELLED,
        note: f.PLAIN_TEXT,
        categories: f.LABELS,
        members: f.TEXTS,
        attachments: f.files({ blob_id: f.STRING, name: f.TEXT, mime_type: f.TEXT, size_bytes: f.COUNT }),
        updated_at: f.EVENT_TIME,
        source_id: f.TEXT,
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
          'profiles',
          'related',
          'note',
          'categories',
          'members',
        ],
      },
      range_filters: { updated_at: ANY_RANGE },
      aggregations: { count: true, group_by: ['organization'], group_by_time: ['updated_at'] },
    },
  },
])
