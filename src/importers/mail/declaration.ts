import type { Declaration } from '../../model/declaration/declaration.ts'
import { declareSource, recordStream } from '../declare.ts'
import * as f from '../fields.ts'

/** The same for every kind of mail file, so that a mailbox can be imported from another kind later. */
export const MAIL: Declaration = declareSource('mail', 'Mail', [
  recordStream({
    name: 'emails',
    label: 'Your e-mail',
    detail: 'Sender, recipients, subject, date, text and attachments.',
    properties: {
      subject: f.TITLE,
      from: f.ACTOR,
      from_address: f.ACTOR,
      to: f.RECIPIENTS,
      cc: f.RECIPIENTS,
      bcc: f.RECIPIENTS,
      reply_to: f.PEOPLE,
      sent_at: f.EVENT_TIME,
      sent_at_local: f.TIME,
      body: f.PLAIN_TEXT,
      attachments: f.files({
        blob_id: f.STRING,
        name: f.TEXT,
        mime_type: f.STRING,
        size_bytes: f.COUNT,
        content_id: f.TEXT,
      }),
      attachment_names: { ...f.TEXTS, x_pdpp_role: 'attachment' },
      labels: f.LABELS,
      mailbox: f.PLACE,
      list_id: f.PLACE,
      thread_id: f.TEXT,
      message_id: f.TEXT,
      in_reply_to: f.TEXT,
      references: f.TEXTS,
      date_header: f.TEXT,
    },
    conversation: { key: 'thread_id', order: ['sent_at'] },
    time: 'sent_at',
    views: {
      envelope: {
        label: 'Who wrote to whom, when and about what; no text',
        fields: ['subject', 'from', 'from_address', 'to', 'cc', 'sent_at', 'thread_id', 'labels'],
      },
    },
    search: ['subject', 'body', 'from', 'to', 'cc', 'attachment_names'],
    ranges: ['sent_at'],
    group_by: ['from_address', 'thread_id', 'mailbox', 'list_id'],
    count_distinct: ['from_address', 'thread_id'],
  }),
])
