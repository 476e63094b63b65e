import { databaseOf, type Rows } from './database.ts'

const YEAR_2001 = Date.UTC(2001, 0, 1)

/** The tables for messages in `chat.db` of macOS, with the columns that are read. */
const TABLES = `
  CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT, service TEXT);
  CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT, chat_identifier TEXT, display_name TEXT, style INTEGER);
  CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT, text TEXT, handle_id INTEGER DEFAULT 0, subject TEXT,
    attributedBody BLOB, service TEXT, date INTEGER, is_from_me INTEGER DEFAULT 0, item_type INTEGER DEFAULT 0,
    group_title TEXT, associated_message_guid TEXT, associated_message_type INTEGER DEFAULT 0,
    destination_caller_id TEXT, thread_originator_guid TEXT, date_edited INTEGER DEFAULT 0,
    date_retracted INTEGER DEFAULT 0, associated_message_emoji TEXT);
  CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY, guid TEXT, filename TEXT, mime_type TEXT, transfer_name TEXT,
    total_bytes INTEGER);
  CREATE TABLE chat_handle_join (chat_id INTEGER, handle_id INTEGER);
  CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER, PRIMARY KEY (chat_id, message_id));
  CREATE TABLE message_attachment_join (message_id INTEGER, attachment_id INTEGER)`

/** The bytes of a database of the Messages app with these rows; `drop` names columns of messages that are missing. */
export function messageDatabase(rows: Rows, drop: readonly string[] = []): Buffer {
  const dropped = drop.map(column => `ALTER TABLE message DROP COLUMN ${column}`)
  return databaseOf([TABLES, ...dropped].join(';'), rows)
}

/** Nanoseconds since 2001. */
export function appleTime(time: string | number): bigint {
  return BigInt(new Date(time).getTime() - YEAR_2001) * 1_000_000n
}

/** Text as an attributed string in a typed stream. */
export function attributedBody(text: string): Buffer {
  const bytes = Buffer.from(text)
  const size = Buffer.alloc(3)
  if (bytes.length < 128) size.writeUInt8(bytes.length)
  else {
    size.writeUInt8(0x81)
    size.writeUInt16LE(bytes.length, 1)
  }
  return Buffer.concat([
    Buffer.from('\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\0', 'latin1'),
    Buffer.from('\x84\x84\x08NSObject\0\x85\x92\x84\x84\x84\x08NSString\x01\x94\x84\x01+', 'latin1'),
    size.subarray(0, bytes.length < 128 ? 1 : 3),
    bytes,
    Buffer.from('\x86\x84\x02iI\x01', 'latin1'),
  ])
}
