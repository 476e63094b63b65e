import { Asker, CHANNELS, type Channel } from './channel.ts'
import type { Facts } from './facts.ts'
import { FIGURES } from './figures.ts'
import { learnMail } from './learned.ts'
import { QUESTIONS, type Question } from './questions.ts'
import type { AnswersWorld } from './world.ts'

/** The result of a question in one channel. */
export interface Outcome {
  question: Question
  channel: Channel
  calls: number
  bytes: number
  reach: { calls: number; bytes: number }
  /** Null if the answer was reached; otherwise why not. */
  missing: string | null
  /** The argument that no tool has yet, if that is the reason. */
  absent: string | null
}

const ALL = [...QUESTIONS, ...FIGURES].sort((a, b) => Number.parseInt(a.no, 10) - Number.parseInt(b.no, 10))

/** Asks every question in every channel. */
export async function askAll(world: AnswersWorld, facts: Facts): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const channel of CHANNELS) {
    const learned = await learnMail(new Asker(world.client, channel))
    for (const question of ALL) {
      const asker = new Asker(world.client, channel)
      const text = question.reach(facts)
      const reach = { calls: text.calls, bytes: text.bytes * (channel === 'structured' ? 3 : 1) }
      const { needs } = question
      const absent =
        needs && !world.argumentsOf(needs.tool).includes(needs.argument)
          ? `${needs.tool} has no ${needs.argument}`
          : null
      const found = absent ?? (await question.run(asker, facts, world, learned).catch(String))
      const { calls, bytes } = asker
      const tooMuch = calls > reach.calls || bytes > reach.bytes ? `${calls} calls, ${bytes} bytes` : null
      outcomes.push({ question, channel, calls, bytes, reach, missing: found ?? tooMuch, absent })
    }
  }
  return outcomes
}

/** A line for each outcome. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ question, channel, calls, bytes, reach, missing }) => [
    question.no,
    channel,
    String(calls),
    String(bytes),
    `${reach.calls} / ${reach.bytes}`,
    missing === null ? 'reached' : `NOT REACHED: ${missing.replaceAll('\n', ' ').slice(0, 160)}`,
    question.question,
  ])
  const head = ['#', 'channel', 'calls', 'bytes', 'reach', 'reached', 'question']
  const widths = head.map((name, i) =>
    Math.max(name.length, ...rows.map(row => (i >= 5 ? 10 : (row[i] ?? '').length))),
  )
  return [head, ...rows]
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
