import { MOST_NEAREST, type Value, valuesText } from '../text/nearest.ts'

/** What someone who asks an AI is called in its conversations. */
const ASKING = ['user', 'human']

/** How records name the owner, whose name is not known here: in conversations with an AI, or else one of the most frequent. */
export function ownerText(operator: string, values: readonly Value[]): string {
  const byCount = values.toSorted((a, b) => b.count - a.count)
  const asking = byCount.filter(({ key }) => ASKING.includes(key))
  const frequent = byCount.slice(0, MOST_NEAREST)
  if (asking.length > 0)
    return ` In conversations with an AI the owner is ${valuesText(asking)}: use ${operator}:${asking[0]?.key}.`
  return frequent.length === 0
    ? ''
    : ` Give the owner's name or address. Most frequent: ${valuesText(frequent)}.`
}
