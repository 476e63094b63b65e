import type { Seen } from './brute-force-query.ts'
import { type Client, FIELD, type Refusal, type World } from './checked-client.ts'

/** The fields with people in the random worlds. */
const PEOPLE_FIELDS = ['kind', 'to']

const ASKED = ['a', 'b', 'B', 'ada', 'b ada', 'x.org', '漢', 'nobody']

export interface AskedPerson {
  /** The sources that can be searched for a person. */
  sources: World['sources']
  /** How many sources cannot. */
  leftOut: number
  names(row: Seen): boolean
}

/**
 * Sometimes adds a person to the query. If no source has a field for people, the expected refusal is added to `due`.
 */
export function askPerson(
  client: Client,
  able: World['sources'],
  query: URLSearchParams,
  due: Refusal[],
): AskedPerson {
  const person = client.random.chance(0.35) ? client.random.pick(ASKED) : null
  if (person === null) return { sources: able, leftOut: 0, names: () => true }
  query.set('person', person)
  const sources = able.filter(source =>
    PEOPLE_FIELDS.some(field => source.fields.includes(field) && client.fieldsOf(source).includes(field)),
  )
  if (sources.length === 0 && able.some(({ fields }) => PEOPLE_FIELDS.some(field => fields.includes(field))))
    due.push(FIELD)
  const wanted = wordsOf(person)
  const names = ({ data }: Seen) =>
    PEOPLE_FIELDS.some(field =>
      [data[field]].flat().some(item => {
        const text = textOf(item)
        return wanted.every(word =>
          /^\p{Script=Han}/u.test(word) ? text.includes(word) : wordsOf(text).includes(word),
        )
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
