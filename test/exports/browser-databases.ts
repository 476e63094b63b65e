import { databaseOf, type Rows } from './database.ts'

/** The tables for visits in Chrome's `History`, with the columns that are read. */
export const CHROME = `
  CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR,
    visit_count INTEGER DEFAULT 0 NOT NULL, last_visit_time INTEGER DEFAULT 0 NOT NULL);
  CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT, url INTEGER NOT NULL, visit_time INTEGER NOT NULL,
    from_visit INTEGER, transition INTEGER DEFAULT 0 NOT NULL);
  CREATE TABLE keyword_search_terms (keyword_id INTEGER NOT NULL, url_id INTEGER NOT NULL, term LONGVARCHAR NOT NULL)`

/** The same for `places.sqlite` of Firefox, with the folders that every profile has. */
const FIREFOX = `
  CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, hidden INTEGER DEFAULT 0);
  CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER, visit_date INTEGER,
    visit_type INTEGER);
  CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER DEFAULT NULL, parent INTEGER,
    position INTEGER, title LONGVARCHAR, dateAdded INTEGER, guid TEXT);
  INSERT INTO moz_bookmarks (id, type, parent, title, guid) VALUES (1, 2, 0, '', 'root________'),
    (2, 2, 1, 'menu', 'menu________'), (3, 2, 1, 'toolbar', 'toolbar_____'), (4, 2, 1, 'tags', 'tags________'),
    (5, 2, 1, 'unfiled', 'unfiled_____'), (6, 2, 1, 'mobile', 'mobile______')`

/** The same for `History.db` of Safari. */
const SAFARI = `
  CREATE TABLE history_items (id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL UNIQUE, visit_count INTEGER);
  CREATE TABLE history_visits (id INTEGER PRIMARY KEY AUTOINCREMENT, history_item INTEGER NOT NULL,
    visit_time REAL NOT NULL, title TEXT NULL)`

export const chromeHistory = (rows: Rows): Buffer => databaseOf(CHROME, rows)
export const firefoxPlaces = (rows: Rows): Buffer => databaseOf(FIREFOX, rows)
export const safariHistory = (rows: Rows): Buffer => databaseOf(SAFARI, rows)

/** Microseconds since 1601. */
export function chromeTime(time: string | number, microseconds = 0): bigint {
  return BigInt(new Date(time).getTime()) * 1_000n + BigInt(microseconds) + 11_644_473_600_000_000n
}
