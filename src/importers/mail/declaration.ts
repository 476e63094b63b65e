import type { Declaration } from '../../model/declaration/declaration.ts'
import { ANY_RANGE, COUNT, TEXT, TEXTS, TIME } from '../field-types.ts'
import { declareSource } from '../own-source.ts'

/** The same for every kind of mail file, so that a mailbox can be imported from another kind later. */
export const MAIL: Declaration = declareSource('mail', 'Mail', [
  {
    name: 'emails',
    semantics: 'mutable_state',
    display: { label: 'Your e-mail', detail: 'Sender, recipients, subject, date, text and attachments.' },
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string' },
        subject: { ...TEXT, x_pdpp_role: 'primary-title' },
        from: { ...TEXT, x_pdpp_role: 'actor' },
        from_address: { ...TEXT, x_pdpp_role: 'actor' },
        to: { ...TEXTS, x_pdpp_role: 'recipient' },
        cc: { ...TEXTS, x_pdpp_role: 'recipient' },
        bcc: { ...TEXTS, x_pdpp_role: 'recipient' },
        reply_to: { ...TEXTS, x_pdpp_role: 'participant' },
        sent_at: { ...TIME, x_pdpp_role: 'event-time' },
        sent_at_local: TIME,
        body: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' },
        attachments: {
          type: 'array',
          x_pdpp_role: 'attachment',
          items: {
            type: 'object',
            properties: {
              blob_id: { type: 'string' },
              name: TEXT,
              mime_type: { type: 'string' },
              size_bytes: COUNT,
              content_id: TEXT,
            },
          },
        },
        attachment_names: { ...TEXTS, x_pdpp_role: 'attachment' },
        labels: { ...TEXTS, x_pdpp_role: 'label' },
        mailbox: { ...TEXT, x_pdpp_role: 'place' },
        list_id: { ...TEXT, x_pdpp_role: 'place' },
        thread_id: TEXT,
        message_id: TEXT,
        in_reply_to: TEXT,
        references: TEXTS,
        date_header: TEXT,
      },
      x_pdpp_conversation: { key: 'thread_id', order: ['sent_at'] },
    },
    primary_key: ['id'],
    cursor_field: 'sent_at',
    consent_time_field: 'sent_at',
    selection: { fields: true, resources: true },
    views: [
      {
        id: 'envelope',
        label: 'Who wrote to whom, when and about what; no text',
        fields: ['id', 'subject', 'from', 'from_address', 'to', 'cc', 'sent_at', 'thread_id', 'labels'],
      },
    ],
    query: {
      search: {
        lexical_fields: ['subject', 'body', 'from', 'to', 'cc', 'attachment_names'],
      },
      range_filters: { sent_at: ANY_RANGE },
      aggregations: {
        count: true,
        min: ['sent_at'],
        max: ['sent_at'],
        group_by: ['from_address', 'thread_id', 'mailbox', 'list_id'],
        group_by_time: ['sent_at'],
        count_distinct: ['from_address', 'thread_id'],
      },
    },
  },
])
