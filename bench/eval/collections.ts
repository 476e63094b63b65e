import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface JudgedCollection {
  name: string
  documents: { id: string; title: string; text: string }[]
  queries: { id: string; text: string; relevant: Set<string> }[]
  /** nDCG@10 to reach. */
  target: number | null
}

/** The judged collections in a folder, by name. */
export function readCollections(folder: string): JudgedCollection[] {
  const readers = [cranfield, cisi, xquad('en', 0.965), xquad('es', 0.95), xquad('zh', 0.96)]
  return readers.flatMap(read => read(folder) ?? [])
}

function cranfield(folder: string): JudgedCollection | null {
  const place = join(folder, 'ir-cranfield', 'normalised')
  if (!existsSync(place)) return null
  const lines = (name: string) => readFileSync(join(place, name), 'utf8').trim().split('\n')
  const relevant = new Map<string, Set<string>>()
  for (const line of lines('qrels.tsv').slice(1)) {
    const [query = '', document = '', score] = line.split('\t')
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  return {
    name: 'Cranfield',
    target: 0.39,
    documents: lines('corpus.jsonl').map(line => {
      const { _id, title, text } = JSON.parse(line)
      return { id: _id, title, text }
    }),
    queries: lines('queries.jsonl').map(line => {
      const { _id, text } = JSON.parse(line)
      return { id: _id, text, relevant: relevant.get(_id) ?? new Set() }
    }),
  }
}

function cisi(folder: string): JudgedCollection | null {
  const place = join(folder, 'ir-cisi')
  if (!existsSync(place)) return null
  const relevant = new Map<string, Set<string>>()
  for (const line of readFileSync(join(place, 'CISI.REL'), 'utf8').trim().split('\n')) {
    const [query = '', document = ''] = line.trim().split(/\s+/)
    relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  return {
    name: 'CISI',
    target: 0.39,
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
  }
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

function xquad(language: string, target: number): (folder: string) => JudgedCollection | null {
  return folder => {
    const file = join(folder, 'ir-xquad', `xquad.${language}.json`)
    if (!existsSync(file)) return null
    const { data } = JSON.parse(readFileSync(file, 'utf8')) as {
      data: { paragraphs: { context: string; qas: { id: string; question: string }[] }[] }[]
    }
    const paragraphs = data.flatMap(article => article.paragraphs)
    return {
      name: `XQuAD ${language}`,
      target,
      documents: paragraphs.map(({ context }, i) => ({ id: `p${i}`, title: '', text: context })),
      queries: paragraphs.flatMap(({ qas }, i) =>
        qas.map(({ id, question }) => ({ id, text: question, relevant: new Set([`p${i}`]) })),
      ),
    }
  }
}

/** nDCG at 10 with binary relevance, over the queries that have relevant documents. */
export function ndcg(collection: JudgedCollection, found: Map<string, string[]>): number {
  const judged = collection.queries.filter(query => query.relevant.size > 0)
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const scores = judged.map(({ id, relevant }) => {
    const actual = (found.get(id) ?? [])
      .slice(0, 10)
      .reduce((sum, doc, i) => sum + (relevant.has(doc) ? gain(i) : 0), 0)
    const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, i) => gain(i)).reduce(
      (a, b) => a + b,
      0,
    )
    return actual / ideal
  })
  return scores.reduce((a, b) => a + b, 0) / Math.max(1, scores.length)
}
