import { bounded, type Tables } from '../reading/database-copy.ts'

/** How a browser stores its history. */
export interface HistoryDatabase {
  tables: Tables
  /** Rows with `number`, `time` (microseconds since 1970, as text), `url`, `title` and `transition`. */
  visits: string
  /** The names of `transition` by its number. */
  transitions: readonly (string | null)[]
  hasBookmarks: boolean
}

const YEAR_1601_TO_1970 = 11_644_473_600_000_000n
const YEAR_1970_TO_2001 = 978_307_200
/** Addresses that scripts generate may contain whole pictures. */
export const MOST_ADDRESS_BYTES = 1024 * 1024

const columns = (time: string, title: string, transition: string) =>
  `CAST(v.id AS TEXT) AS number, CAST(${time} AS TEXT) AS time, ${bounded('p.url', MOST_ADDRESS_BYTES)} AS url,
   ${bounded(title, MOST_ADDRESS_BYTES)} AS title, ${transition} AS transition`

/** Each browser by a table that only its database has. */
export const HISTORY_DATABASES: Record<string, HistoryDatabase> = {
  // `History` of Chrome, Chromium, Edge, Brave and others, with the names that Google Takeout uses.
  keyword_search_terms: {
    tables: { urls: 'id', visits: 'id' },
    visits: `SELECT ${columns(`v.visit_time - ${YEAR_1601_TO_1970}`, 'p.title', 'v.transition & 255')}
      FROM visits v LEFT JOIN urls p ON p.id = v.url ORDER BY v.id`,
    transitions: [
      'link',
      'typed',
      'auto_bookmark',
      'auto_subframe',
      'manual_subframe',
      'generated',
      'auto_toplevel',
      'form_submit',
      'reload',
      'keyword',
      'keyword_generated',
    ],
    hasBookmarks: false,
  },
  // `places.sqlite` of Firefox.
  moz_historyvisits: {
    tables: { moz_places: 'id', moz_historyvisits: 'id', moz_bookmarks: 'id' },
    visits: `SELECT ${columns('v.visit_date', 'p.title', 'v.visit_type & 255')}
      FROM moz_historyvisits v LEFT JOIN moz_places p ON p.id = v.place_id ORDER BY v.id`,
    transitions: [
      null,
      'link',
      'typed',
      'bookmark',
      'embed',
      'redirect_permanent',
      'redirect_temporary',
      'download',
      'framed_link',
      'reload',
    ],
    hasBookmarks: true,
  },
  // `History.db` of Safari.
  history_visits: {
    tables: { history_items: 'id', history_visits: 'id' },
    visits: `SELECT ${columns(`CAST(round((v.visit_time + ${YEAR_1970_TO_2001}) * 1000000) AS INTEGER)`, 'v.title', 'NULL')}
      FROM history_visits v LEFT JOIN history_items p ON p.id = v.history_item ORDER BY v.id`,
    transitions: [],
    hasBookmarks: false,
  },
}
