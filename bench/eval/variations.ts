import type { JudgedCollection } from './collections.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** The same questions in quotation marks, with a letter misplaced, and with the day of the answer. */
export function askedOtherwise(collection: JudgedCollection): JudgedCollection[] {
  const times = new Map(collection.documents.map(({ id, at }) => [id, at]))
  const asked = (how: string, change: (text: string, relevant: Set<string>) => string): JudgedCollection => ({
    ...collection,
    name: `${collection.name}, ${how}`,
    queries: collection.queries.map(query => ({ ...query, text: change(query.text, query.relevant) })),
  })
  return [
    asked('quoted', text => `"${text.replaceAll('"', ' ')}"`),
    asked('misspelt', misspelt),
    asked('dated', (text, [first = '']) => `${text} on ${spokenDay(times.get(first) ?? '')}`),
  ]
}

/** The longest word with its third and fourth letters swapped. */
function misspelt(text: string): string {
  const words = text.match(/\p{L}{5,}/gu) ?? []
  const longest = words.reduce((most, word) => (word.length > most.length ? word : most), '')
  if (longest === '') return text
  const [a = '', b = '', c = '', d = '', ...rest] = longest
  return text.replace(longest, [a, b, d, c, ...rest].join(''))
}

function spokenDay(time: string): string {
  const [year = '', month = '', day = ''] = time.slice(0, 10).split('-')
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}`
}
