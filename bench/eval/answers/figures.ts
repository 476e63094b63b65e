import type { Question } from './questions.ts'

const within = () => ({ calls: 1, bytes: 4_000 })

/** Whether an answer has a figure for a key, or for a key inside another: `"2025-03": 26`, or groups with their splits. */
function hasFigure(body: string, keys: readonly string[], count: number): boolean {
  if (body.startsWith('{')) return holdsFigure(JSON.parse(body), keys, count)
  const chain = keys.map(key => key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^\\n]{0,200}?')
  return new RegExp(`${chain}[^\\n\\d]{0,40}\\b${count}\\b`).test(body)
}

/** Whether a value contains an object for each key in turn, the last of them with the count. */
function holdsFigure(value: unknown, keys: readonly string[], count: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { key, count: own, value: figure } = value as Record<string, unknown>
  const isMeant = typeof key === 'string' && key.startsWith(keys[0] ?? '')
  if (isMeant && keys.length === 1 && (own === count || figure === count)) return true
  const left = isMeant && keys.length > 1 ? keys.slice(1) : keys
  return Object.values(value).some(child => holdsFigure(child, left, count))
}

/** Questions that need the names of a stream and its fields, which a session learns once from schema. */
export const FIGURES: readonly Question[] = [
  {
    no: '3a',
    question: 'Messages per month',
    reach: within,
    learns: true,
    async run(asker, { figures: { month } }, _, learned) {
      if (!learned) return 'schema does not say how'
      const { stream, time } = learned
      const told = await asker.ask('aggregate', {
        stream,
        group_by_time: time,
        granularity: 'month',
        limit: 100,
      })
      return hasFigure(told.body, [month.key], month.count) ? null : told.body.slice(0, 300)
    },
  },
  {
    no: '3b',
    question: 'Top senders',
    reach: within,
    learns: true,
    async run(asker, { figures: { sender } }, _, learned) {
      if (!learned) return 'schema does not say how'
      const told = await asker.ask('aggregate', { stream: learned.stream, group_by: learned.sender })
      return hasFigure(told.body, [sender.key], sender.count) ? null : told.body.slice(0, 300)
    },
  },
  {
    no: '3c',
    question: 'Messages per sender and month',
    reach: within,
    learns: true,
    needs: { tool: 'aggregate', argument: 'split_by' },
    async run(asker, { figures: { senderMonth } }, _, learned) {
      if (!learned) return 'schema does not say how'
      const { stream, sender, time } = learned
      const told = await asker.ask('aggregate', {
        stream,
        group_by_time: time,
        granularity: 'month',
        split_by: sender,
        limit: 100,
      })
      const { month, sender: who, count } = senderMonth
      const isTold = hasFigure(told.body, [month, who], count) || hasFigure(told.body, [who, month], count)
      return isTold ? null : told.body.slice(0, 300)
    },
  },
  {
    no: '11c',
    question: 'How often was X mentioned per week?',
    reach: within,
    learns: true,
    needs: { tool: 'aggregate', argument: 'query' },
    async run(asker, { mentioned: { word, week } }, _, learned) {
      if (!learned) return 'schema does not say how'
      const { stream, time } = learned
      const told = await asker.ask('aggregate', {
        stream,
        query: word,
        group_by_time: time,
        granularity: 'week',
      })
      return hasFigure(told.body, [week.key], week.count) ? null : told.body.slice(0, 300)
    },
  },
]
