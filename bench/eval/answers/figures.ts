import type { Question } from './questions.ts'

const within = () => ({ calls: 1, bytes: 4_000 })

/** A figure beside its key, in either channel: `"2025-03": 26` or `{"key":"2025-03…","count":26}`. */
export function hasFigure(body: string, keys: readonly string[], count: number): boolean {
  const chain = keys.map(key => key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^\\n{}]{0,80}')
  return new RegExp(`${chain}[^\\n{}]{0,60}\\b${count}\\b`).test(body)
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
      const told = await asker.ask('aggregate', { stream, group_by_time: time, granularity: 'month' })
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
