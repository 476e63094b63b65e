import { FEW_POSTINGS, SPARE_STRETCH } from '../../src/model/search/tuning.ts'
import { analyze } from '../../src/model/text/analyzer.ts'
import { fieldWord } from '../../src/store/analysis/analysed-rows.ts'
import { PostgresDatabase } from '../../src/store/engine/postgres.ts'
import type { Way, Ways } from '../../src/store/engine/postgres-statistics.ts'
import { wordAt } from '../mail.ts'
import { alternate, type Sample, type Work } from '../measure.ts'
import { atMost, type Result, timed } from '../result.ts'
import type { Rig } from '../rig.ts'
import type { Row } from '../row.ts'

/** Places in the vocabulary, from a word that most records contain to one in a fraction of a per cent. */
const PLACES = [2, 10, 40, 150, 500, 2_000]
const MOST_TIMES = 1.5
/** Below this the difference between two ways is noise. */
const LEAST_MS = 2

/**
 * On PostgreSQL, whether the chosen way to find the newest rows of a word takes little longer than the best one:
 * decision 12.
 */
export const ways: Row = {
  name: 'search, ways to a word',
  async measure(rig) {
    if (rig.engine !== 'postgres') return []
    const results: Result[] = []
    for (const place of PLACES) results.push(await judge(rig, place))
    return results
  },
}

async function judge(rig: Rig, place: number): Promise<Result> {
  await using judging = open(rig)
  const [below = 0] = await judging.numbers('SELECT max(row_id) + 1 AS n FROM token_index')
  const lookUp = await lookUpOf(rig, judging, place, below)
  // A stretch as long as needed for this word, times the usual factor.
  const stretch = Math.ceil((below - ((await lookUp(judging)).at(-1) ?? 0)) * SPARE_STRETCH)
  const forced: Way[] = [{ by: 'words' }, { by: 'rows' }, { by: 'stretch', rows: stretch }]
  await using databases = new AsyncDisposableStack()
  const works: Record<string, Work> = { judged: timing(() => lookUp(judging)) }
  for (const way of forced) {
    const database = databases.use(open(rig, { wayTo: async () => way, isCluster: async () => false }))
    works[way.by] = timing(() => lookUp(database))
  }
  const { judged, ...others } = await alternate(works, rig.size.seconds)
  const best = Object.values(others).reduce((least, each) => (each.p50 < least.p50 ? each : least))
  const server = judged as Sample
  return timed({
    row: `search, the way to word ${place} of the vocabulary`,
    server,
    floor: best,
    target: atMost(MOST_TIMES, '× the best way'),
    figure: server.p50 / Math.max(best.p50, LEAST_MS),
  })
}

function open({ place }: Rig, ways?: Ways): PostgresDatabase {
  const options = { url: place.name, connections: 1, durability: 'normal', statementTimeoutMs: 0 } as const
  return new PostgresDatabase(ways ? { ...options, ways } : options)
}

type LookUp = (database: PostgresDatabase) => Promise<number[]>

/** The newest rows of a word, as a search asks for them: below the number that the next record will get. */
async function lookUpOf(rig: Rig, database: PostgresDatabase, place: number, below: number): Promise<LookUp> {
  const codes = await database.numbers('SELECT code AS n FROM search_fields ORDER BY code')
  const [{ key } = { key: '' }] = analyze(wordAt(place))
  const word = { any: codes.map(code => ({ word: fieldWord(code, key) })) }
  return asked => asked.words.match(rig.owner_id, word, { below }, FEW_POSTINGS)
}

function timing(work: () => Promise<number[]>): Work {
  return async () => {
    const started = performance.now()
    const rows = await work()
    return { ms: performance.now() - started, body: Buffer.alloc(rows.length) }
  }
}
