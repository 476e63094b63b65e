/*
 * Every number that determines what search finds, how it ranks and how much work it does, and where the number came
 * from. "eval" is `npm run eval` (nDCG@10 on Cranfield / CISI). If no measurement or decision is named, none was
 * recorded when the number was chosen; "see bench" then names the rows of `npm run bench` that show what a change
 * costs. The numbers that shape the stored index, such as the size of a piece, are in index-rows.ts and analyzer.ts:
 * changing those rebuilds the index.
 */

// Query

/** The most different words, phrases and prefixes in one query; the rest are ignored. */
export const MOST_CLUES = 200
/**
 * The most phrases and prefixes in one query, because texts must be read for them. With more, phrases are searched for by
 * their words; more prefixes are refused.
 */
export const MOST_TEXT_CLUES = 16
/** The weight of a joined name such as v2.0.1, whose parts are also found. */
export const NAME_WEIGHT = 0.5
/**
 * The weight of the further keys of a word, relative to its own. The weight of beginnings was chosen on collections
 * that `npm run eval` does not have; the others were not measured separately. A word with a base form has the rest of
 * that weight itself: with 1 for both, irregular verbs counted more than what was asked about.
 */
export const FURTHER_WEIGHTS = { beginning: 0.4, spelling: 0.5, form: 0.7, accents: 1 }
/**
 * The weights of words that the segmenter finds in a script without spaces, and of pairs of hiragana, mostly particles,
 * unless the query has them as a word of their own. eval, known ja: .681 without this exception, .706 with it.
 */
export const SEGMENT_WEIGHT = 1
export const HIRAGANA_WEIGHT = 0.5
/** A query in quotation marks with this many words is treated as a quoted sentence, not as a phrase to find. */
export const SENTENCE_WORDS = 8
/** How many letters a word must have to be checked for misspelling. */
export const CORRECTED_LETTERS = { least: 4, most: 24 }
/** A word with fewer letters keeps its first letter: next is not a misspelt text. The first two may be swapped. */
export const FIRST_LETTER_CORRECTED = 6
/** How many letters an Arabic stem must have for that: shorter ones are nearly always one letter from another word. */
export const CORRECTED_ARABIC_STEM = 5
/**
 * The most words of a query that are checked for misspelling, words that are corrected, and known words that are
 * compared with each of them.
 */
export const MOST_SPELLED = 20
export const MOST_CORRECTED = 3
export const MOST_KNOWN_ALIKE = 8
/**
 * A word is corrected to a form at one edit that a record contains. If the stem has this many letters, its endings may
 * differ by this many: "recieved" is corrected to "receive", but "served" not to "series", which has the stem of "seried".
 * The forms are read in this many of its newest rows.
 */
export const CORRECTED_STEM = 6
export const LONGEST_ENDING = 3
export const MOST_ROWS_OF_FORMS = 20
/** How many words at one edit are looked up together, and in how many of the rows that contain one. A bound on time. */
export const SPELLINGS_AT_ONCE = 50
export const MOST_SPELLING_ROWS = 60
/** The most UTF-16 units between two words of a phrase. */
export const WIDEST_PHRASE_GAP = 100
/**
 * How many letters shorter than a prefix a stem may be to be looked up for it, and the length of the shortest such
 * stem.
 */
export const LONGEST_SUFFIX = 8
export const SHORTEST_STEM = 3

// Ranking

/**
 * Without the added words, short messages rank too high. Chosen on chats that `npm run eval` does not have; on
 * Cranfield it costs .003 (.3976, against .4002 with the constants below). eval, with 20 instead of 50: IRC answers .523
 * (.529), Cranfield .397 (.395), known ru / ar / hi / el .934 / .962 / .928 / .924 (.934 / .961 / .927 / .924).
 */
export const BM25 = { k1: 1.2, b: 0.75, added: 50 }
/** Used if the refinement `length` is turned off. eval: .3998 / .4030; with k1 = 2, .4026 / .4038. */
export const BM25_BEFORE = { k1: 1.5, b: 0.6, added: 0 }
/** How many times an occurrence in the title counts. */
export const TITLE_WEIGHT = 2
/**
 * How many times an occurrence in the name of a channel or folder counts, which all records there share. With 1, short
 * messages of the channel team-d3 rank above those that speak of D3.
 */
export const PLACE_WEIGHT = 0.3
/**
 * If the query makes up at least this share of a title, the record is raised by that share of the best score. Subjects of
 * mail have words such as "Re: [PATCH v2 3/4]" around the query. eval, mail by subject with 0.5 for all queries: .964, with
 * 0.3 for those of three words or more: .988.
 */
export const LEAST_TITLE_SHARE = 0.5
export const LEAST_TITLE_SHARE_OF_WORDS = { words: 3, share: 0.3 }
/**
 * How many times the rarity of an author's names in the query counts: in a query of only names, and among other words. Not
 * in a question such as "Who told Ann about …?": of such questions, made of words of IRC messages to someone, .972 found
 * the message among the first ten instead of .938, and the mean of 1 / rank was .856 instead of .761.
 */
export const AUTHOR_ALONE = 1.25
export const AUTHOR_AMONG_WORDS = 0.5
/** The smallest share of an author's names that a single name in the query must make up. */
export const LEAST_AUTHOR_SHARE = 0.3

/**
 * The shares of other messages' scores that a message gets: from those one and two messages away, from the previous
 * message if it is a question by someone else, and from the best message of the conversation. The weights were chosen
 * on chats that `npm run eval` does not have; larger ones gave worse results there.
 */
export const NEIGHBOUR_SHARES = [0.25, 0.12]
export const QUESTION_SHARE = 0.2
export const CONVERSATION_SHARE = 0.15
/**
 * The share of the score of the message that a message answers by name, how many minutes before it that may be, and how
 * many words either may have. eval, IRC answers with 0, 0.2, 0.3, 0.5: .532, .573, .584, .561 with 1 / rank .193, .229, .249,
 * .263; with 10 minutes or a day instead of an hour: the same within .003.
 */
export const ADDRESSED_SHARE = 0.3
export const ADDRESSED_MINUTES = 60
export const LONGEST_ADDRESSED = 200
/**
 * A message with n times as many words gets 1/n of these shares. Without this, four or five mails of one thread, which
 * quote each other, filled the first page: .647 instead of .667 of threads were found by a sentence of a reply, .921 instead
 * of .931 of ChatGPT sessions by their titles. eval, mail by subject: .988 instead of .991; IRC answers: .529, .532.
 */
export const WORDS_OF_SHORT_MESSAGE = 50
/**
 * How many of the best records have the messages before them looked up, how many those after them, and how many get a
 * share of the best score in their conversation. Two neighbours share in both directions, so one lookup is enough.
 * In dialogues of two people from public chat logs, 120 instead of 24 found the message that was asked for in .893 /
 * .847 / .837 instead of .884 / .834 / .781 of three kinds of questions.
 */
export const MOST_LOOKED_BACK = 10
export const MOST_LOOKED_AHEAD = 120
export const MOST_IN_CONVERSATIONS = 200

/**
 * What share of its score a text of at least this many words loses if none of the query's words in it are in one
 * passage, and how many of the best records are read for this. Of questions that were written about chats and mails, in a
 * store with books and newsletters beside them, .783 instead of .766 found the message among the first ten (nDCG@10 of
 * those about a Slack .517 instead of .507, about mails .654 instead of .629). CISI with 150 words: .398 instead of .403.
 */
export const SCATTERED_SHARE = 0.5
export const WORDS_OF_LONG_TEXT = 300
export const MOST_READ_FOR_PASSAGES = 30

/**
 * The weight of two neighbouring words of the query that are also neighbours in a text, as a share of the smaller
 * rarity, and how many records are read for this.
 */
export const CLOSENESS_WEIGHT = 0.6
/**
 * The same for two Chinese characters and the next one: a Chinese word is often one pair, so neighbouring pairs say
 * little. eval, XQuAD zh with 0, 0.15 and 0.6: .962, .963, .958. For Thai and Japanese, 4 found more texts by words that
 * follow each other there, but far fewer by questions, whose particles follow each other in any text: in paragraphs of
 * Japanese texts .551 instead of .756, of Thai messages .610 instead of .640.
 */
export const IDEOGRAPHS_CLOSENESS_WEIGHT = 0.15
/**
 * The same in a script without spaces, in records that contain all of a short query: the characters of a word that are
 * scattered there are other words. No text contains all of a question, so this leaves questions as they are. eval, known
 * ja / th with 0.6, 2.4, 4.8, 12: .811 / .660, .827 / .720, .830 / .737, .830 / .745, parts of texts .814 / .609, .818 /
 * .620, .818 / .622, .819 / .626; the same for Chinese .929 / .861 instead of .918 / .858. Headings of manuals and questions
 * of installers in these languages: the same within .003.
 */
export const WHOLE_RUN_CLOSENESS_WEIGHT = 4.8
/**
 * The share of the best score for a text that contains a query in such a script as it is written. eval, parts of texts of
 * known ja / th with 0, 0.25, 0.5, 1, 2: .818 / .621, .852 / .688, .855 / .704, .855 / .704, .858 / .708; words: the same.
 */
export const WRITTEN_QUERY_SHARE = 1
/**
 * How much a Russian or Arabic word counts that a text has in the form of the query, as a share of its rarity: only texts
 * that are equally good otherwise are ordered by it. eval, known ru / ar with 0, 0.05, 0.1, 0.2: .934 / .961, .943 / .965,
 * .946 / .965, .950 / .965; in other forms .701 / .683, .699 / .680, .699 / .680, .696 / .677. English words: CISI .395
 * instead of .403.
 */
export const WRITTEN_FORM_WEIGHT = 0.05
/**
 * The same for two Vietnamese syllables, because most words there are two syllables with a space between them. eval,
 * known vi with 0.6, 1.2 and 2.4: .897, .907, .914; questions about Vietnamese messages with 0.6 and 2.4: .655, .719.
 */
export const SYLLABLES_CLOSENESS_WEIGHT = 2.4
export const MOST_READ_CLOSELY = 100
/** The most UTF-16 units between two words that count as neighbours, to allow for stop words between them. */
export const WIDEST_PAIR_GAP = 40
/**
 * A record from a time that the query names is raised by this share of the best score. With "(the October
 * one)", the month of the answer, after each question of eval: IRC answers .520 / .549, mail by subject .922 / .925,
 * where such a month is a word / a time.
 */
export const DATE_SHARE = 0.5
/**
 * How much the words of that time count, if records of it are found: those rarely contain them. eval, dated IRC questions
 * with 1, 0.5, 0.2: .523, .544, .552.
 */
export const DATE_WORD_WEIGHT = 0.2
/**
 * The smallest share of a contact's name that the names in a query must make up for the contact to come first, and how
 * many contacts do: more fill the page although what people wrote may be meant.
 */
export const LEAST_CARD_SHARE = 0.3
export const MOST_CARDS = 3
/** How many contacts of a name are looked up. A bound on time. */
export const FEW_CARDS = 50
/**
 * In a query of at most this many words, all of them are meant: records that contain all come first. In a script without
 * spaces, what is written between two spaces is one word; with its pairs of characters as words, hardly any query was
 * short enough: known ja / th .737 / .635 instead of .811 / .659, parts of texts .805 / .603 instead of .814 / .609.
 */
export const MOST_WORDS_ALL_MEANT = 3

/**
 * The weight of meaning: the share of the best score that the most similar record gets, and how many records are
 * compared. This corresponds to weights of 0.3 and 0.7. eval: .4261 / .4337, without it .3916 / .3958.
 */
export const MEANING_WEIGHT = 0.43
export const MOST_COMPARED = 100
/**
 * If the similarities of all records differ by less than this, they are not stretched, because that would order records
 * by noise.
 */
export const LEAST_SPREAD = 0.2

/**
 * Where one conversation must not fill a page: how many of its hits count in full, and what share of their scores the
 * others keep.
 */
export const FULL_HITS_OF_TALK = 3
export const FURTHER_HITS_SHARE = 0.5
/** A thread can last for years: what was written this long before its best hit, or after it, is something else. */
export const SAME_TALK_MS = 3 * 24 * 60 * 60_000
/** This many ranked records are put into order together, so that the order does not depend on the size of pages. */
export const VARIED_AT_ONCE = 30

// Finding by words

/**
 * A word that more visible records contain is common, and only this many of its newest records are examined. Decision
 * 01 explains the cap.
 */
export const MOST_RECORDS = 600
/**
 * The same in a query with at least this many words among at least this many visible records. A fifth less time for a
 * question of ten words; among few records it would cost .003 / .005 (eval) and save little.
 */
export const MANY_WORDS = 6
export const MANY_RECORDS = 300_000
export const MOST_RECORDS_AMONG_MANY = 300
/** Visible rows that are counted to learn how far apart the records of a common word are. A bound on time. */
export const REACH_ROWS = 2_000
/**
 * If this many visible records contain a word, words with the same first letters are not looked up. eval, IRC answers:
 * .526, with 50 .523, with 100 .529, with no limit .515; known ru / de / el / ro in other forms: .701 / .293 / .775 / .191,
 * with 50 .697 / .287 / .774 / .188, with no limit .704 / .291 / .776 / .191.
 */
export const ENOUGH_OF_WORD = 200
/**
 * The same among at least this many visible records, where looking them up takes most of the time: a rare word among
 * 100,000 records takes a third of it without.
 */
export const LARGE_POPULATION = 50_000
export const ENOUGH_OF_WORD_AMONG_MANY = 50
/** Rarer words add candidates until there are this many rows. See bench: a question of ten words. */
export const ENOUGH_ROWS = 2_000
/**
 * If rarer words give fewer rows than this, the rows that contain common words are candidates too. See bench: a common
 * word.
 */
export const FEW_ROWS = 200
/** The most rows that are candidates only because they are the newest of common words. */
export const MOST_NEWEST_ROWS = 800
/** Titles with all words of a query are looked up if it has at most this many, all of them common. */
export const MOST_TITLE_WORDS = 6
/** Up to this many postings are read completely, regardless of who may see them, to save a second lookup. */
export const FEW_POSTINGS = 700
/** If only part of the postings is read, this many times the rows needed are read, because some may be hidden. */
export const SPARE_ROWS = 1.15
/** The most rows in one lookup. A bound on memory. */
export const MOST_ROWS_AT_ONCE = 20_000
/** The most rows that are candidates because of common words. A bound on time and memory. */
export const MOST_COMMON_ROWS = 4_000

// Counting

/** If more records match, a search says "more than" this many. A bound on time. */
export const MOST_COUNTED = 1_000

// Sorting by time

/**
 * Up to this many likely records are sorted at once; more are looked up in stretches of time. A bound on time and
 * memory.
 */
export const MOST_SORTED = 5_000
/** Records of all kinds in the first stretch, and in the longest one. */
export const RECORDS_OF_WINDOW = 5_000
export const WIDEST_WINDOW = 40_000

// Long records

/**
 * The most later rows of long records for one clue, and for one clue in one record. See bench: beside a text of 50 MB.
 * With 200 or 500 of a record instead of 32, the first three windows of books answered 32 instead of 31 of 53 questions.
 */
export const MOST_LATER_ROWS = 500
export const MOST_LATER_ROWS_OF_RECORD = 32
/** The most rows of one long record that are read to find an excluded phrase. A bound on time. */
export const MOST_EXCLUSION_ROWS = 256

// Finding by texts: phrases and prefixes

/**
 * The most texts that are read for one phrase or prefix, and how many matches are enough. See bench: phrases, a prefix.
 */
export const MOST_TEXTS = 1_500
export const ENOUGH_TEXTS = 300
export const TEXTS_AT_ONCE = 200
/**
 * A prefix that a smaller share of the newest texts contains is rare, and all of its rows are collected from the index.
 * See bench: a prefix.
 */
export const RARE_PREFIX_SHARE = 0.02

// Words or rows, on PostgreSQL: decision 12

/**
 * Microseconds to read the next row, to fetch a row that a word leads to, to read one posting, and to skip one row of a
 * stretch, measured on one machine with a million rows.
 */
export const NEXT_ROW_COST = 4
export const FETCHED_ROW_COST = 8
export const POSTING_COST = 0.4
export const STRETCH_ROW_COST = 0.1
/** A stretch has this many times the rows that would be enough if the matches were evenly distributed. */
export const SPARE_STRETCH = 1.25
/**
 * The assumed share of rows that contain a word, or all words of a prefix, that is not in PostgreSQL's list, relative
 * to the rarest in it.
 */
export const RARE_WORD_SHARE = 0.05
export const RARE_PREFIX_WORDS_SHARE = 0.3

// What a hit shows

/**
 * How much a window in a field that only names people is worth, and how much a match by another form of a word,
 * compared with any other. With 0.5 for the first, more windows only repeated the author.
 */
export const PEOPLE_WINDOW_WORTH = 0.3
export const FURTHER_WINDOW_WORTH = 0.5
/** The most match windows of a hit. */
export const MOST_WINDOWS = 5
/** The most further places of a hit: windows whose text is not shown. */
export const MOST_PLACES = 4
/** Windows of a record with several rows are at least this many characters apart. */
export const WINDOWS_APART = 2_000
/**
 * How many of the best rows of a record windows are chosen from: of the first hits, which are most likely read, and of
 * the others. A row takes about 1 ms. eval, long records with 5 rows and with 12 for the first hits: CISI .725, .775;
 * Cranfield .556, .578.
 */
export const MOST_WINDOW_ROWS = { first: 12, other: 5 }
export const HITS_WITH_MOST_ROWS = 3
/**
 * How far around a window its passage reaches in such a record, in UTF-16 units. In long records made of judged short
 * texts, 4,096 characters around the first three windows touched the answer in .858 / .908 / .661 / .801 of the questions
 * (Cranfield, CISI, IRC, mail) by the rarest words in a window alone, and in .947 / .895 / .654 / .834 by passages.
 */
export const PASSAGE_REACH = 1_000
/** The constants for rows and passages of one record: how often a clue occurs counts, lengths do not differ. */
export const WITHIN_RECORD = { k1: 1.2, b: 0, added: 0 }

/** The most characters of a title; the whole title is in the record. */
export const HIT_TITLE_CHARS = 80
export const HIT_TITLE_BYTES = 120
/** The most bytes of the name of a file that was found. */
export const HIT_FILE_BYTES = 80
