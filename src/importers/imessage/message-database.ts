import { bounded, DatabaseCopy, type Row, type Tables } from '../reading/database-copy.ts'
import type { SourceFile } from '../source/source.ts'

/** Columns that only some versions of macOS and iOS have. */
const NEWER = [
  'attributedBody',
  'thread_originator_guid',
  'date_edited',
  'date_retracted',
  'destination_caller_id',
  'associated_message_guid',
  'associated_message_type',
  'associated_message_emoji',
]
const REACTED = 'associated_message_type BETWEEN 2000 AND 3999'
const MOST_BYTES = 16 * 1024 * 1024

/** Milliseconds since 2001; older versions store seconds. */
const milliseconds = (column: string) =>
  `CASE WHEN abs(${column}) > 100000000000 THEN ${column} / 1000000 ELSE ${column} * 1000 END`
const TABLES: Tables = {
  message: 'ROWID',
  handle: 'ROWID',
  chat: 'ROWID',
  chat_handle_join: null,
  chat_message_join: null,
  attachment: 'ROWID',
  message_attachment_join: null,
}
const MOST_NAME_CHARS = 200
/** Reactions to a message, and its attachments. */
const MOST_OF_MESSAGE = 1_000

/** A copy of the database of the Messages app. `log` has the changes that are not in the database yet. */
export function copyOf(file: SourceFile, log: SourceFile | undefined): Promise<DatabaseCopy> {
  return DatabaseCopy.of(file, log, TABLES)
}

/** All messages except reactions, in the order in which they were stored. */
export function messagesIn(database: DatabaseCopy): Iterable<Row> {
  return database.rows(
    `SELECT m.ROWID AS number, m.guid, ${bounded('m.text', MOST_BYTES)} AS text, ${bounded('m.attributedBody', MOST_BYTES)} AS body,
         octet_length(m.text) > ${MOST_BYTES} OR octet_length(m.attributedBody) > ${MOST_BYTES} AS is_too_large,
         m.subject, m.service, m.is_from_me, m.item_type, m.group_title, m.destination_caller_id,
         m.thread_originator_guid, m.associated_message_type AS associated, h.id AS handle, p.chat_id AS chat,
         ${milliseconds('m.date')} AS sent, ${milliseconds('m.date_edited')} AS edited,
         m.date_retracted > 0 AS is_unsent
       FROM known_message m LEFT JOIN handle h ON h.ROWID = m.handle_id
       LEFT JOIN placed p ON p.message_id = m.ROWID
       WHERE m.associated_message_type IS NULL OR NOT m.${REACTED} ORDER BY m.ROWID`,
  )
}

/** The chats, each with the addresses of its people. */
export function chatRows(database: DatabaseCopy): Iterable<Row> {
  return database.rows(
    `SELECT c.ROWID AS number, c.chat_identifier, c.display_name, group_concat(substr(h.id, 1, ${MOST_NAME_CHARS}), ', ') AS people
       FROM chat c LEFT JOIN chat_handle_join j ON j.chat_id = c.ROWID LEFT JOIN handle h ON h.ROWID = j.handle_id
       GROUP BY c.ROWID`,
  )
}

export function reactionsTo(database: DatabaseCopy, guid: string): Iterable<Row> {
  return database.rows(
    `SELECT type, emoji, is_from_me, handle FROM reaction WHERE target = ? ORDER BY number LIMIT ${MOST_OF_MESSAGE}`,
    guid,
  )
}

export function attachmentsOf(database: DatabaseCopy, message: number): Iterable<Row> {
  return database.rows(
    `SELECT a.filename, a.transfer_name, a.mime_type, a.total_bytes FROM attached j
       JOIN attachment a ON a.ROWID = j.number WHERE j.message = ? ORDER BY j.number LIMIT ${MOST_OF_MESSAGE}`,
    message,
  )
}

/**
 * Creates a view of the messages with all columns, the chat of each message, and the reactions and attachments indexed
 * by their message.
 */
export function prepare(database: DatabaseCopy): void {
  const names = [...database.rows("SELECT name FROM pragma_table_info('message')")].map(({ name }) => name)
  const missing = NEWER.filter(name => !names.includes(name)).map(name => `, NULL AS ${name}`)
  database.exec(
    `CREATE TEMP VIEW known_message AS SELECT ROWID, *${missing.join('')} FROM main.message;
       CREATE TEMP TABLE placed (message_id INTEGER PRIMARY KEY, chat_id INTEGER);
       INSERT INTO placed SELECT message_id, min(chat_id) FROM chat_message_join
         WHERE message_id IS NOT NULL GROUP BY message_id;
       CREATE TEMP TABLE reaction AS SELECT m.ROWID AS number, substr(associated_message_guid, -36) AS target,
         associated_message_type AS type, associated_message_emoji AS emoji, is_from_me, h.id AS handle
         FROM known_message m LEFT JOIN handle h ON h.ROWID = m.handle_id WHERE ${REACTED};
       CREATE INDEX temp.reaction_by_target ON reaction (target, number);
       CREATE TEMP TABLE attached AS SELECT message_id AS message, attachment_id AS number FROM message_attachment_join;
       CREATE INDEX temp.attached_by_message ON attached (message, number)`,
  )
}
