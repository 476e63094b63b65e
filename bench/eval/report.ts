import type { Engine } from '../../test/places.ts'
import type { JudgedCollection } from './collections.ts'
import type { Reached, Read } from './measures.ts'
import type { PLAIN_SETTINGS } from './plain-fts5.ts'

export interface Measured extends Pick<JudgedCollection, 'name' | 'language' | 'metric' | 'target'> {
  /** How many queries are judged, and the day they were asked. */
  queries: number
  day: string
  /** The best setting of plain FTS5. */
  plain: { setting: (typeof PLAIN_SETTINGS)[number]; score: number }
  engines: Partial<Record<Engine, number>>
  /** The score without each refinement, and without all of them. */
  without: Record<string, number>
  /** The probability that a difference from the full search is due to chance. */
  chance: Record<string, number>
  /** If each query has one relevant record: how often it is found, by which search. */
  known?: Record<'plain' | 'footnote' | 'without', Reached | null>
  /** Of long records: how often their windows show where the answer is, if they come only from the best piece, and all. */
  read?: Record<'plain' | 'piece' | 'footnote', Read | null>
}

const digits = (score: number) => score.toFixed(3)
export const ALL = 'all of them'

export function tableLine(measured: Measured): string {
  const { name, metric, queries, target, plain, engines, without, chance } = measured
  const cells = [
    name.padEnd(22),
    `${metric} of ${queries}`,
    `FTS5 ${plain.setting} ${digits(plain.score)}`,
    ...Object.entries(engines).map(
      ([engine, score]) => `${engine} ${score.toFixed(4)} ${reached(score, target)}`,
    ),
    ...Object.entries(without).map(
      ([name, score]) => `without ${name} ${score.toFixed(4)} (p ${(chance[name] ?? 1).toFixed(3)})`,
    ),
  ]
  return cells.join('  |  ')
}

function reached(score: number, target: number | null): string {
  if (target === null) return ''
  return score >= target ? `reached ${target}` : `missed ${target}`
}

/** The page of the documentation that shows the figures. */
export function qualityPage(all: readonly Measured[]): string {
  const names = [...new Set(all.flatMap(({ without }) => Object.keys(without)))].filter(name => name !== ALL)
  const lines = [
    '# Search quality',
    '',
    'Written by `npm run eval -- --write`. It asks `/v1/search` the judged queries of public collections, on the day in the',
    'last column. The collections are not part of this repository. nDCG@10 rewards relevant records near the top; R@10 is the share',
    'of queries with a relevant record among the first ten. *p* is how likely a difference at least as large would be by',
    'chance, by a paired randomisation test over the queries.',
    '',
    '## Beside plain FTS5',
    '',
    '| collection | language | queries | measure | plain FTS5, best setting | Footnote | p | without refinements | p | to reach | day |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...all.map(each => {
      const { name, language, metric, queries, target, day, plain, engines, without, chance } = each
      const scores = Object.entries(engines).map(([engine, score]) => `${digits(score)} (${engine})`)
      const cells = [
        ...[name, language, String(queries), metric],
        `${digits(plain.score)} (${plain.setting})`,
        scores.join(', '),
        ...[digits(chance['plain FTS5'] ?? 1), digits(without[ALL] ?? 0), digits(chance[ALL] ?? 1)],
        reached(Math.min(...Object.values(engines)), target),
        day,
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ]
  const known = all.flatMap(({ name, known }) => (known ? { name, ...known } : []))
  if (known.length > 0)
    lines.push(
      '',
      '## Known items',
      '',
      'Where each query has one relevant record: the share of queries that find it first (R@1) and among the first ten',
      '(R@10), and the mean of 1 / rank (MRR). Each cell shows plain FTS5 / Footnote without refinements / Footnote.',
      'The collections called *known* are translated texts of LibreOffice, from the packages of Debian that',
      '`npm run eval -- --make DIR` downloads. Their questions are some words of a text, the same words in other forms that',
      'occur in the texts (by hunspell; in Greek and Hindi by the stemmers that search has too, so that these two only show',
      'that they work), the words typed without accents, or any part of a text without spaces.',
      '',
      '| collection | R@1 | R@10 | MRR |',
      '|---|---|---|---|',
      ...known.map(({ name, plain, without, footnote }) => {
        const cells = (['first', 'ten', 'mrr'] as const).map(figure =>
          [plain, without, footnote].map(each => digits(each?.[figure] ?? 0)).join(' / '),
        )
        return `| ${name} | ${cells.join(' | ')} |`
      }),
    )
  const read = all.flatMap(({ name, read }) => (read ? [{ name, ...read }] : []))
  if (read.length > 0)
    lines.push(
      '',
      '## Windows of long records',
      '',
      'Documents one after the other in a record of up to 400,000 characters, neighbours being about different subjects, and',
      'whole conversations as one record. A window is a place to read: the share of questions whose answer is in the 4,096',
      'characters around the first window of the record, around one of the first three (W@3), and of all five. Each cell shows',
      "plain FTS5 over pieces of 4,096 characters / windows of the record's best piece alone / Footnote.",
      '',
      '| collection | 1 window | 3 windows | 5 windows |',
      '|---|---|---|---|',
      ...read.map(({ name, plain, piece, footnote }) => {
        const cells = (['one', 'three', 'five'] as const).map(figure =>
          [plain, piece, footnote].map(each => digits(each?.[figure] ?? 0)).join(' / '),
        )
        return `| ${name} | ${cells.join(' | ')} |`
      }),
    )
  if (names.length > 0) {
    lines.push(
      '',
      '## What each refinement is worth',
      '',
      'The score lost, in points of 0.01, when one refinement is left out; * marks a difference with p below 0.05.',
      'A dash means that it was not measured there.',
      '',
      `| collection | ${names.map(name => `\`${name}\``).join(' | ')} |`,
      `|---|${names.map(() => '---|').join('')}`,
      ...all.flatMap(({ name: collection, engines, without, chance }) => {
        const [whole = 0] = Object.values(engines)
        if (names.every(name => without[name] === undefined)) return []
        const cells = names.map(name => {
          const less = without[name]
          if (less === undefined) return '–'
          return `${((whole - less) * 100).toFixed(1)}${(chance[name] ?? 1) < 0.05 ? '*' : ''}`
        })
        return `| ${collection} | ${cells.join(' | ')} |`
      }),
    )
  }
  return `${lines.join('\n')}\n`
}
