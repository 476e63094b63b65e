import { registerHooks } from 'node:module'

/*
 * Loaded before everything else, makes a search examine few records, so that small stores are above every cap.
 */

const SEARCH = 'src/store/search'
const LOW: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'src/model/search/tuning.ts': {
    ...{ MOST_RECORDS: 6, MANY_WORDS: 3, MANY_RECORDS: 5, MOST_RECORDS_AMONG_MANY: 4, REACH_ROWS: 8 },
    ...{ ENOUGH_OF_WORD: 5, LARGE_POPULATION: 30, ENOUGH_OF_WORD_AMONG_MANY: 3, ENOUGH_ROWS: 10 },
    ...{ FEW_ROWS: 4, MOST_NEWEST_ROWS: 8, FEW_POSTINGS: 7, MOST_ROWS_AT_ONCE: 8, MOST_COMMON_ROWS: 20 },
    ...{ MOST_COUNTED: 8, MOST_SORTED: 6, RECORDS_OF_WINDOW: 5, WIDEST_WINDOW: 12, FEW_CARDS: 2 },
    ...{ MOST_LATER_ROWS: 5, MOST_LATER_ROWS_OF_RECORD: 3, MOST_EXCLUSION_ROWS: 3, VARIED_AT_ONCE: 4 },
    ...{ MOST_TEXTS: 8, ENOUGH_TEXTS: 4, TEXTS_AT_ONCE: 3, RARE_PREFIX_SHARE: 0.2, MOST_COMPARED: 5 },
    ...{ MOST_READ_CLOSELY: 4, MOST_READ_FOR_PASSAGES: 4, MOST_LOOKED_BACK: 2, MOST_LOOKED_AHEAD: 3 },
    ...{ MOST_IN_CONVERSATIONS: 5, MOST_SPELLING_ROWS: 3, MOST_ROWS_OF_FORMS: 2, MOST_KNOWN_ALIKE: 2 },
  },
  [`${SEARCH}/by-time.ts`]: { CHECKED_AT_ONCE: 5 },
  [`${SEARCH}/finding/asked-groups.ts`]: { FEW_GROUPS: 1 },
  [`${SEARCH}/finding/exclusion.ts`]: { MOST_LATER_LOOKED_UP: 4 },
  [`${SEARCH}/finding/held-words.ts`]: { FEW_NEWEST: 2 },
  [`${SEARCH}/finding/holders.ts`]: { FIRST_AT_ONCE: 5 },
  [`${SEARCH}/finding/record-filter.ts`]: { RECORDS_AT_ONCE: 4 },
  [`${SEARCH}/finding/rows-among.ts`]: { WIDEST_LOOKUP: 10 },
  [`${SEARCH}/records-of-rows.ts`]: { RECORDS_AT_ONCE: 4, MOST_KEPT: 3 },
  [`${SEARCH}/search-rows.ts`]: { ROWS_AT_ONCE: 4, MOST_PLACES: 10 },
  [`${SEARCH}/shown-rows.ts`]: { MOST_BETWEEN: 6 },
  'src/store/names/named-records.ts': { MOST_AT_HAND: 5, MOST_WALKED: 2 },
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const low = Object.entries(LOW).find(([file]) => url.endsWith(`/${file}`))?.[1]
    return low ? { ...loaded, source: lowered(String(loaded.source), low, url) } : loaded
  },
})

function lowered(source: string, low: Readonly<Record<string, number>>, url: string): string {
  return Object.entries(low).reduce((text, [name, value]) => {
    const declared = new RegExp(`^((?:export )?const ${name} = )[\\d._]+$`, 'm')
    if (!declared.test(text)) throw new Error(`${url} has no number ${name}.`)
    return text.replace(declared, `$1${value}`)
  }, source)
}
