import type { Engine } from './place.ts'
import { atLeast, atMost, type Target } from './result.ts'
import { CLASSES } from './rows/search-classes.ts'

/** Every target that rows are judged by; the benchmark page lists them as SUBJECTS does. */
export const TARGETS = {
  record: atMost(2, '× floor'),
  page: atMost(2, '× floor'),
  window: atMost(3, '× floor'),
  windowFlat: atMost(1.5, '× 10 KB'),
  windowByMatch: { sqlite: atMost(280, 'ms'), postgres: atMost(440, 'ms') },
  /** Far below the size of the text, within what garbage collection leaves. */
  windowByMatchMemory: atMost(32, 'MB'),
  count: atMost(1, '× floor'),
  schema: atMost(3, 'ms'),
  concurrent: atLeast(0.6, '× floor'),
  searchP95: { sqlite: atMost(60, 'ms'), postgres: atMost(120, 'ms') },
  /** Below this the difference between two times is noise. */
  searchBesideLongText: atMost(1.25, '× before'),
  besideSearches: atMost(20, 'ms'),
  mcp: atMost(1, 'ms over /v1'),
  toolsList: atMost(11_000, 'B'),
  windowJourney: atMost(16_000, 'B'),
  fetchJourney: atMost(22_000, 'B'),
  ingest: { sqlite: atLeast(0.5, '× floor'), postgres: atLeast(0.6, '× floor') },
  /** Below this the difference between two spans is noise. */
  ingestNoSlower: atLeast(0.9, '× 10k'),
  ledger: atMost(1.1, '× before'),
  consolePage: atMost(50, 'ms'),
  largestPage: atMost(150_000, 'B'),
  stall: atMost(20, 'ms'),
  peak: atMost(300, 'MB'),
  rest: atMost(200, 'MB'),
}

export function targetText({ is, limit, of }: Target): string {
  return `${is === 'at most' ? '≤' : '≥'} ${limit.toLocaleString('en')} ${of}`
}

/** The rows of the page about benchmarks: what is measured, its floor, and its targets. */
export const SUBJECTS: readonly { row: string; floor: string; targets: string }[] = [
  { row: 'GET record', floor: 'point read by key', targets: targetText(TARGETS.record) },
  {
    row: 'page of 25',
    floor: 'keyset page by index, both connections',
    targets: targetText(TARGETS.page),
  },
  {
    row: 'window at the end of 10 KB, 1 MB, 10 MB, 100 MB',
    floor: 'the pieces by key (10 KB: the record)',
    targets: `${targetText(TARGETS.window)}; 100 MB ${targetText(TARGETS.windowFlat)}`,
  },
  {
    row: 'window by `q` near the end of 50 MB',
    floor: 'the pieces in turn and a regular expression',
    targets: `${onEach(TARGETS.windowByMatch)}; memory grows by ${targetText(TARGETS.windowByMatchMemory)} on a fresh server`,
  },
  { row: 'count', floor: "`count(*)` with the grant's predicate", targets: targetText(TARGETS.count) },
  {
    row: 'count by month',
    floor: 'grouping over the typed time column',
    targets: targetText(TARGETS.count),
  },
  { row: 'schema', floor: "the declaration's row", targets: targetText(TARGETS.schema) },
  { row: '16 concurrent GET record', floor: 'the same', targets: targetText(TARGETS.concurrent) },
  ...CLASSES.map(({ name, times }) => ({
    row: `search, ${name}`,
    floor: "the engine's own index and ranking",
    targets: `${targetText(atMost(times, '× floor'))}; p95 ${onEach(TARGETS.searchP95)}`,
  })),
  { row: 'search for phrases and for prefixes', floor: '–', targets: `p95 ${onEach(TARGETS.searchP95)}` },
  {
    row: 'search beside a text of 50 MB that contains the words',
    floor: 'the same, and the same before that text came in',
    targets: `as without it, and ${targetText(TARGETS.searchBesideLongText)}`,
  },
  {
    row: 'GET record beside searches',
    floor: 'point read by key, at the same time',
    targets: `p99 ${targetText(TARGETS.besideSearches)}`,
  },
  {
    row: 'one MCP call of each tool, and the processor time of the main thread in it',
    floor: 'the request to `/v1` that the tool makes',
    targets: targetText(TARGETS.mcp),
  },
  {
    row: 'MCP bytes of texts: `tools/list`; with search and a window of 1 MB; with search and fetch of 1 MB',
    floor: '–',
    targets: [TARGETS.toolsList, TARGETS.windowJourney, TARGETS.fetchJourney].map(targetText).join('; '),
  },
  {
    row: 'ingest at 10k and at 100k records, in batches of 500',
    floor: 'record and FTS5 row (PostgreSQL: tsvector under GIN) in one transaction',
    targets: `${onEach(TARGETS.ingest)}; at 100k ${targetText(TARGETS.ingestNoSlower)}`,
  },
  {
    row: 'GET record after 1,000,000 ledger rows',
    floor: 'the same, before and after',
    targets: targetText(TARGETS.ledger),
  },
  {
    row: 'each page of the console over 1,000,000 ledger rows of a year, and the largest of them',
    floor: '–',
    targets: `${targetText(TARGETS.consolePage)}, ${targetText(TARGETS.largestPage)}`,
  },
  {
    row: 'GET record and window beside import and scan',
    floor: 'point read by key, at the same time',
    targets: `p99 ${targetText(TARGETS.stall)}`,
  },
  {
    row: 'resident memory',
    floor: '–',
    targets: `peak over all rows and the load ${targetText(TARGETS.peak)}; a minute after ${targetText(TARGETS.rest)}`,
  },
]

function onEach({ sqlite, postgres }: Record<Engine, Target>): string {
  return `${targetText(sqlite)} on SQLite, ${targetText(postgres)} on PostgreSQL`
}
