/*
 * Every number that decides what search finds, how it ranks and how much work it does, and where it came from. "eval" is
 * `npm run eval` (nDCG@10 on Cranfield / CISI). Where no measurement or decision is named, none was recorded when the
 * number was chosen; "see bench" then names the rows of `npm run bench` that show what a change costs. The numbers that
 * shape the stored index, such as the size of a piece, are in index-rows.ts and analyzer.ts: a change of those rebuilds
 * the index.
 */

// Query

/** Different words, phrases and prefixes of one query; the rest is ignored. */
export const MOST_CLUES = 200
/** Phrases and prefixes of one query, for which texts are read. More are refused. */
export const MOST_TEXT_CLUES = 16
/** The weight of a joined name such as v2.0.1, whose parts are found as well. */
export const NAME_WEIGHT = 0.5
/** The weight of the further keys of a word, beside its own. That of beginnings was chosen on collections that `npm run eval` does not have; the others were not measured alone. */
export const FURTHER_WEIGHTS = { beginning: 0.4, spelling: 0.5, form: 0.7, accents: 1 }
/** The weights of words that the segmenter finds in a script without spaces, and of pairs of hiragana, mostly particles. */
export const SEGMENT_WEIGHT = 1
export const HIRAGANA_WEIGHT = 0.5
/** A query in quotation marks with so many words is a sentence that someone quotes, not a phrase to find. */
export const SENTENCE_WORDS = 8
/** The letters of a word that may be taken for a misspelt one. */
export const CORRECTED_LETTERS = { least: 4, most: 24 }
/** Words of a query that are looked up to know whether they are misspelt, those that are corrected, and known words that are compared for each of them. */
export const MOST_SPELLED = 20
export const MOST_CORRECTED = 3
export const MOST_KNOWN_ALIKE = 8
/** Of the words at one edit so many are looked up together, in so many of the rows that hold one. A bound on time. */
export const SPELLINGS_AT_ONCE = 50
export const MOST_SPELLING_ROWS = 60
/** The most UTF-16 units between two words of a phrase. */
export const WIDEST_PHRASE_GAP = 100
/** How many letters shorter than a prefix a stem may be to be looked up for it, and the shortest such stem. */
export const LONGEST_SUFFIX = 8
export const SHORTEST_STEM = 3

// Ranking

/**
 * Short messages win too much without the added words. Chosen on chats that `npm run eval` does not have; on Cranfield it
 * costs .003 (.3976, and .4002 with the constants below).
 */
export const BM25 = { k1: 1.2, b: 0.75, added: 50 }
/** Without the refinement `length`. eval: .3998 / .4030; with k1 2 it is .4026 / .4038. */
export const BM25_BEFORE = { k1: 1.5, b: 0.6, added: 0 }
/** How many times a word in the title counts. */
export const TITLE_WEIGHT = 2
/** A title of which the query is at least this share raises its record by that share of the best score. */
export const LEAST_TITLE_SHARE = 0.5
/** How many times the rarity of an author's names in the query counts: in a query of names alone, and among other words. */
export const AUTHOR_ALONE = 1.25
export const AUTHOR_AMONG_WORDS = 0.5
/** The share of an author's names that a single name in the query must be. */
export const LEAST_AUTHOR_SHARE = 0.3

/**
 * What a message gets of the scores of others in its conversation: of those one and two messages away, of the message
 * before if that is a question by someone else, and of the best. The weights were chosen on
 * chats that `npm run eval` does not have; larger ones hurt there.
 */
export const NEIGHBOUR_SHARES = [0.25, 0.12]
export const QUESTION_SHARE = 0.2
export const CONVERSATION_SHARE = 0.15
/** The best records whose neighbours are looked up, and those that get a share of the best of their conversation. */
export const MOST_GIVERS = 24
export const MOST_IN_CONVERSATIONS = 200

/** What two neighbouring words of the query are worth as neighbours in a text, in shares of the smaller rarity; the records read for it. */
export const CLOSENESS_WEIGHT = 0.6
export const MOST_READ_CLOSELY = 100
/** The most UTF-16 units between two words that count as neighbours, for the stop words between them. */
export const WIDEST_PAIR_GAP = 40
/** A record of a time that the query names is raised by this share of the best score. */
export const DATE_SHARE = 0.5

/** What meaning is worth: the share of the best score that the likest of the compared records gets, and how many are compared. A weight of 0.3 against 0.7. eval: .4261 / .4337, without it .3916 / .3958. */
export const MEANING_WEIGHT = 0.43
export const MOST_COMPARED = 100
/** Likenesses that differ less in all are not stretched: they would order records by noise. */
export const LEAST_SPREAD = 0.2

// Finding by words

/** A word that more visible records hold is common: only this many of its newest records are looked at. Decision 01 says why there is a cap. */
export const MOST_RECORDS = 600
/** Visible rows that are counted to learn how far apart the records of a common word are. A bound on time. */
export const REACH_ROWS = 2_000
/** Rarer words bring candidates until there are this many rows. See bench: a question of ten words. */
export const ENOUGH_ROWS = 2_000
/** With fewer rows from rarer words, the rows that hold common words are candidates too. See bench: a common word. */
export const FEW_ROWS = 200
/** Up to this many postings are read whole, whoever may see them, in place of a second lookup. */
export const FEW_POSTINGS = 700
/** Of postings that are cut, this many times the rows needed are read, because some may be hidden. */
export const SPARE_ROWS = 1.15
/** Rows of one lookup. A bound on memory. */
export const MOST_ROWS_AT_ONCE = 20_000
/** Rows that are candidates because of common words. A bound on time and memory. */
export const MOST_COMMON_ROWS = 4_000
/** Rows that are loaded with their counts before it is known whether they are candidates. A bound on memory. */
export const MOST_LOADED_ROWS = 8_000
/** Visible rows whose records are looked at for one lookup because a filter decides. A bound on time. */
export const MOST_FILTERED_ROWS = 20_000

// Counting

/** Above so many matching records, a search says that there are at least so many: finding has met as many of a common word. */
export const MOST_COUNTED = MOST_RECORDS

// Sorting by time

/** Up to this many likely records are sorted at once; more are looked up by stretches of time. A bound on time and memory. */
export const MOST_SORTED = 5_000
/** Records of all kinds in the first stretch, and in the longest. */
export const RECORDS_OF_WINDOW = 5_000
export const WIDEST_WINDOW = 40_000

// Long records

/** Later rows of long records for one clue, and for one clue in one record. See bench: beside a text of 50 MB. */
export const MOST_LATER_ROWS = 500
export const MOST_LATER_ROWS_OF_RECORD = 32
/** Rows of one long record that are read to find an excluded phrase. A bound on time. */
export const MOST_EXCLUSION_ROWS = 256

// Finding by texts: phrases and prefixes

/** Texts that are read for one phrase or prefix, and how many that hold it are enough. See bench: phrases, a prefix. */
export const MOST_TEXTS = 1_500
export const ENOUGH_TEXTS = 300
export const TEXTS_AT_ONCE = 200
/** A prefix that fewer of the newest texts hold is rare, and all of its rows are collected from the index. See bench: a prefix. */
export const RARE_PREFIX_SHARE = 0.02

// Words or rows, on PostgreSQL: decision 12

/**
 * Microseconds to read the next row, to fetch a row that a word leads to, to read one posting, and to note one row of a
 * stretch: figures of one machine, with a million rows.
 */
export const NEXT_ROW_COST = 2
export const FETCHED_ROW_COST = 8
export const POSTING_COST = 0.4
export const STRETCH_ROW_COST = 0.2
/** A stretch has this many times the rows that would be enough if the matches were spread evenly. */
export const SPARE_STRETCH = 1.5
/** The share of rows that hold a word, or all words of a prefix, outside of PostgreSQL's list, by the rarest in it. */
export const RARE_WORD_SHARE = 0.05
export const RARE_PREFIX_WORDS_SHARE = 0.3

// What a hit shows

/** The most match windows of a hit. */
export const MOST_WINDOWS = 5
/** Windows of a record with several rows are at least so many characters apart, and come from so many of its best rows. */
export const WINDOWS_APART = 2_000
export const MOST_WINDOW_ROWS = 5

/** Of a title; the whole title is in the record. */
export const HIT_TITLE_CHARS = 80
export const HIT_TITLE_BYTES = 120
