import type { Seen } from './brute-force-query.ts'
import { type Client, FIELD, type Refusal, type World } from './checked-client.ts'

/** The fields that each operator looks at in the random worlds. */
const FIELDS_OF = { person: ['kind', 'to'], with: ['kind', 'to'], to: ['to'] } as const

const ASKED = ['a', 'b', 'B', 'ada', 'b ada', 'x.org', '漢', 'nobody', 'ada OR 漢']

export interface AskedPerson {
  /** The sources that can be searched for a person. */
  sources: World['sources']
  /** How many sources cannot. */
  leftOut: number
  names(row: Seen): boolean
}

/**
 * Sometimes adds a person to the query, as a parameter or, where there is a list for them, as an operator. If no source has
 * a field for people, the expected refusal is added to `due`.
 */
export function askPerson(
  client: Client,
  able: World['sources'],
  query: URLSearchParams,
  due: Refusal[],
  operators: string[] | null = null,
): AskedPerson {
  const { random } = client
  const person = random.chance(0.35) ? random.pick(ASKED) : null
  if (person === null) return { sources: able, leftOut: 0, names: () => true }
  const operator = random.pick(['person', 'with', 'to'] as const)
  if (operators !== null && operator !== 'person' && random.chance(0.5))
    operators.push(`${operator}:(${person})`)
  else query.set(operator, person)
  const fields = FIELDS_OF[operator]
  const sources = able.filter(source =>
    fields.some(field => source.fields.includes(field) && client.fieldsOf(source).includes(field)),
  )
  if (sources.length === 0 && able.some(source => fields.some(field => source.fields.includes(field))))
    due.push(FIELD)
  const wanted = person.split(' OR ').map(wordsOf)
  const holds = (text: string, word: string) =>
    /^\p{Script=Han}/u.test(word) ? text.includes(word) : wordsOf(text).includes(word)
  const names = ({ data }: Seen) =>
    fields.some(field =>
      [data[field]].flat().some(item => {
        const text = textOf(item)
        return wanted.some(words => words.every(word => holds(text, word)))
      }),
    )
  const leftOut = new Set(able.filter(source => !sources.includes(source)).map(({ stream }) => stream)).size
  return { sources, leftOut, names }
}

function textOf(item: unknown): string {
  if (typeof item === 'string') return item
  return typeof item === 'object' && item !== null ? Object.values(item).join(' ') : ''
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
