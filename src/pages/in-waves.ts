/** Fewer than the requests of one caller that may wait for each other; more would be refused. */
const MOST_AT_ONCE = 8

/** Asks for many things, a few at a time, and returns the answers in the same order. */
export async function inWaves<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let first = 0; first < items.length; first += MOST_AT_ONCE)
    answers.push(...(await Promise.all(items.slice(first, first + MOST_AT_ONCE).map(ask))))
  return answers
}
