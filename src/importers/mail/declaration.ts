import type { Declaration } from '../../model/declaration/declaration.ts'
import {
  ACTOR,
  COUNT,
  declareSource,
  EVENT_TIME,
  files,
  PLACE,
  PLAIN_TEXT,
  recordStream,
  TEXT,
  TEXTS,
  TIME,
  TITLE,
} from '../declare.ts'

/** The same for every kind of mail file, so that a mailbox can be imported from another kind later. */
export const MAIL: Declaration = declareSource('mail', 'Mail', [
  recordStream({
    name: 'emails',
    display: { label: 'Your e-mail', detail: 'Sender, recipients, subject, date, text and attachments.' },
    properties: {
      subject: TITLE,
      from: ACTOR,
      from_address: ACTOR,
      to: { ...TEXTS, x_pdpp_role: 'recipient' },
      cc: { ...TEXTS, x_pdpp_role: 'recipient' },
      bcc: { ...TEXTS, x_pdpp_role: 'recipient' },
      reply_to: { ...TEXTS, x_pdpp_role: 'participant' },
      sent_at: EVENT_TIME,
      sent_at_local: TIME,
      body: PLAIN_TEXT,
      attachments: files({
        blob_id: { type: 'string' },
        name: TEXT,
        mime_type: { type: 'string' },
        size_bytes: COUNT,
        content_id: TEXT,
      }),
      attachment_names: { ...TEXTS, x_pdpp_role: 'attachment' },
      labels: { ...TEXTS, x_pdpp_role: 'label' },
      mailbox: PLACE,
      list_id: PLACE,
      thread_id: TEXT,
      message_id: TEXT,
      in_reply_to: TEXT,
      references: TEXTS,
      date_header: TEXT,
    },
    conversation: { key: 'thread_id', order: ['sent_at'] },
    time: 'sent_at',
    views: [
      {
        id: 'envelope',
        label: 'Who wrote to whom, when and about what; no text',
        fields: ['id', 'subject', 'from', 'from_address', 'to', 'cc', 'sent_at', 'thread_id', 'labels'],
      },
    ],
    search: ['subject', 'body', 'from', 'to', 'cc', 'attachment_names'],
    ranges: ['sent_at'],
    aggregations: {
      group_by: ['from_address', 'thread_id', 'mailbox', 'list_id'],
      count_distinct: ['from_address', 'thread_id'],
    },
  }),
])
