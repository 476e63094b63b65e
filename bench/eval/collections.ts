import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ircCollections } from './irc.ts'
import { knownItemCollections } from './known-items/collections.ts'
import { longRecords } from './long-records.ts'
import { mailCollections } from './mailing-list.ts'

export interface JudgedDocument {
  id: string
  title: string
  text: string
  /** Of a message: who wrote it, in which conversation, and when. */
  who?: string
  thread?: string
  at?: string
}

/** A part of a long record, in characters. */
export interface Passage {
  id: string
  start: number
  end: number
}

interface JudgedQuery {
  id: string
  text: string
  relevant: Set<string>
  /** The long record whose windows are read. */
  record?: string
}

export interface JudgedCollection {
  name: string
  language: string
  documents: JudgedDocument[]
  queries: JudgedQuery[]
  /**
   * nDCG, or the share of queries with a relevant document, both among the first ten; or the share of queries whose
   * answer is read with the first three windows of a long record.
   */
  metric: 'nDCG@10' | 'R@10' | 'W@3'
  /** If the documents are long records: what each consists of, in the order of the text. These are what is relevant. */
  passages?: ReadonlyMap<string, readonly Passage[]>
  /** The score to reach. */
  target: number | null
}

/** The judged collections in a folder: those in a known format, and folders with corpus, queries and judgements. */
export function readCollections(folder: string): JudgedCollection[] {
  const inFolder = (name: string) => join(folder, name)
  const folders = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const short = [
    ...folders.flatMap(({ name }) => beir(inFolder(name), name)),
    ...cisi(inFolder('ir-cisi')),
    ...xquad(inFolder('ir-xquad')),
    ...ircCollections(inFolder('chat-irc-ubuntu')),
  ]
  return [
    ...short,
    ...mailCollections(inFolder('mail-git-list')),
    ...knownItemCollections(inFolder('known-items')),
    ...longRecords(short.filter(({ name }) => !name.includes(', '))),
  ]
}

const TARGETS: Record<string, number> = {
  cranfield: 0.39,
  cisi: 0.39,
  'xquad en': 0.965,
  'xquad es': 0.95,
  'xquad zh': 0.96,
}

/** What must be reached with meaning, where that is more. */
export const WITH_MEANING: Record<string, number> = { cranfield: 0.41, cisi: 0.42 }

/**
 * `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, in the folder or in its folder `normalised`. The lines of a corpus of
 * messages also have `who`, `thread` and `at`.
 */
function beir(folder: string, name: string): JudgedCollection[] {
  const place = [join(folder, 'normalised'), folder].find(each => existsSync(join(each, 'corpus.jsonl')))
  const judged = place && ['qrels.tsv', 'qrels/test.tsv'].map(file => join(place, file)).find(existsSync)
  if (!place || !judged) return []
  const lines = (file: string) => readFileSync(file, 'utf8').trim().split('\n')
  const relevant = new Map<string, Set<string>>()
  for (const line of lines(judged).slice(1)) {
    const [query = '', document = '', score] = line.split('\t')
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  const short = name.replace(/^ir-/, '')
  const documents = lines(join(place, 'corpus.jsonl')).map((line): JudgedDocument => {
    const { _id, title = '', text, who, thread, at } = JSON.parse(line)
    return { id: _id, title, text, ...(thread && { who, thread, at }) }
  })
  return [
    {
      name: short,
      language: 'en',
      metric: documents.some(({ thread }) => thread) ? 'R@10' : 'nDCG@10',
      target: TARGETS[short] ?? null,
      documents,
      queries: lines(join(place, 'queries.jsonl')).map(line => {
        const { _id, text } = JSON.parse(line)
        return { id: _id, text, relevant: relevant.get(_id) ?? new Set() }
      }),
    },
  ]
}

function cisi(place: string): JudgedCollection[] {
  if (!existsSync(place)) return []
  const relevant = new Map<string, Set<string>>()
  for (const line of readFileSync(join(place, 'CISI.REL'), 'utf8').trim().split('\n')) {
    const [query = '', document = ''] = line.trim().split(/\s+/)
    relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  return [
    {
      name: 'cisi',
      language: 'en',
      metric: 'nDCG@10',
      target: TARGETS.cisi ?? null,
      documents: smartEntries(join(place, 'CISI.ALL')).map(({ id, T = '', W = '' }) => ({
        id: id ?? '',
        title: T,
        text: W,
      })),
      queries: smartEntries(join(place, 'CISI.QRY')).map(({ id = '', W = '' }) => ({
        id,
        text: W,
        relevant: relevant.get(id) ?? new Set(),
      })),
    },
  ]
}

/** The SMART format: `.I` starts an entry, `.T`, `.A`, `.W`, `.X` start its parts. */
function smartEntries(file: string): Record<string, string>[] {
  const entries: Record<string, string>[] = []
  let part = ''
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const begin = /^\.I +(\d+)/.exec(line)
    const name = /^\.([TABWXK])\s*$/.exec(line)?.[1]
    const entry = entries.at(-1)
    if (begin) {
      entries.push({ id: begin[1] ?? '' })
      part = ''
    } else if (name) part = name
    else if (entry && part !== '') entry[part] = `${entry[part] ?? ''}${line}\n`
  }
  return entries
}

/** Questions about paragraphs, a file for each language. */
function xquad(folder: string): JudgedCollection[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter(name => /^xquad\.\w+\.json$/.test(name))
  return files.sort().map(file => {
    const language = file.split('.')[1] ?? ''
    const { data } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      data: { paragraphs: { context: string; qas: { id: string; question: string }[] }[] }[]
    }
    const paragraphs = data.flatMap(article => article.paragraphs)
    return {
      name: `xquad ${language}`,
      language,
      metric: 'nDCG@10' as const,
      target: TARGETS[`xquad ${language}`] ?? null,
      documents: paragraphs.map(({ context }, i) => ({ id: `p${i}`, title: '', text: context })),
      queries: paragraphs.flatMap(({ qas }, i) =>
        qas.map(({ id, question }) => ({ id, text: question, relevant: new Set([`p${i}`]) })),
      ),
    }
  })
}
