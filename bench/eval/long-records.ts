import { countCodePoints } from '../../src/model/text/code-points.ts'
import type { JudgedCollection, JudgedDocument, Passage } from './collections.ts'

/** How much of a long record is read around a window: as much as the field window shows by default. */
export const READ_CHARS = 4_096
/** Characters of a record that is made of documents of many subjects. */
const RECORD_CHARS = 400_000

/**
 * Long records made of judged short documents: a conversation as one record, or documents of different subjects one
 * after the other. A query is asked about each record that contains something relevant.
 */
export function longRecords(collections: readonly JudgedCollection[]): JudgedCollection[] {
  const made = new Map<readonly JudgedDocument[], Made>()
  return collections.flatMap(collection => {
    const { documents, queries, name } = collection
    if (queries.every(({ relevant }) => relevant.size === 0)) return []
    const one = made.get(documents) ?? joined(documents)
    made.set(documents, one)
    return [
      {
        ...collection,
        name: `${name}, long records`,
        metric: 'W@3',
        target: null,
        documents: one.documents,
        passages: one.passages,
        queries: queries.flatMap(({ id, text, relevant }) =>
          [...Map.groupBy(relevant, document => one.recordOf.get(document) ?? '')].flatMap(
            ([record, within]) =>
              record === '' ? [] : [{ id: `${id} ${record}`, text, relevant: new Set(within), record }],
          ),
        ),
      },
    ]
  })
}

interface Made {
  documents: JudgedDocument[]
  passages: Map<string, Passage[]>
  recordOf: Map<string, string>
}

function joined(documents: readonly JudgedDocument[]): Made {
  const made: Made = { documents: [], passages: new Map(), recordOf: new Map() }
  for (const [record, parts] of recordsOf(documents)) {
    const passages: Passage[] = []
    let text = ''
    let start = 0
    for (const part of parts) {
      const written = `${textOf(part)}\n`
      const end = start + countCodePoints(written)
      passages.push({ id: part.id, start, end })
      made.recordOf.set(part.id, record)
      text += written
      start = end
    }
    made.documents.push({ id: record, title: '', text })
    made.passages.set(record, passages)
  }
  return made
}

function recordsOf(documents: readonly JudgedDocument[]): Map<string, readonly JudgedDocument[]> {
  if (documents.some(({ thread }) => thread)) return Map.groupBy(documents, ({ thread = '' }) => thread)
  const size = documents.reduce((sum, { text }) => sum + text.length, 0)
  const count = Math.ceil(size / RECORD_CHARS)
  const each = Math.ceil(documents.length / count)
  return Map.groupBy(mixed(documents), (_, i) => `record ${Math.floor(i / each)}`)
}

/** Documents that follow each other are often about the same: far from each other, one window does not read several. */
function mixed(documents: readonly JudgedDocument[]): JudgedDocument[] {
  const step = Math.round(Math.sqrt(documents.length))
  return Array.from({ length: step }, (_, first) => documents.filter((_, i) => i % step === first)).flat()
}

function textOf({ title, text, who }: JudgedDocument): string {
  if (who !== undefined) return `<${who}> ${text}`
  return title === '' ? text : `${title}\n${text}`
}

/** The passages of a record that a part of it touches. */
export function passagesIn(
  passages: readonly Passage[],
  { start, end }: Pick<Passage, 'start' | 'end'>,
): string[] {
  return passages.filter(passage => passage.start < end && passage.end > start).map(({ id }) => id)
}

/** The passages that are read around a match, which is in the middle. */
export function passagesAround(
  passages: readonly Passage[],
  { start_chars, end_chars }: { start_chars: number; end_chars: number },
): string[] {
  const start = Math.max(0, Math.floor((start_chars + end_chars - READ_CHARS) / 2))
  return passagesIn(passages, { start, end: start + READ_CHARS })
}
