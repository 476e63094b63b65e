import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgedCollection, JudgedDocument } from './collections.ts'
import { askedOtherwise } from './variations.ts'

const SAID = /^\[(\d\d:\d\d)\] <([^>]+)> (.*)$/

/**
 * Chat logs with annotated reply links. A query is a question as it was written; relevant are the messages of other
 * people that answer it.
 */
export function ircCollections(place: string): JudgedCollection[] {
  const folder = join(place, 'dev')
  if (!existsSync(folder)) return []
  const days = readdirSync(folder).filter(name => name.endsWith('.annotation.txt'))
  const documents: JudgedDocument[] = []
  const queries: JudgedCollection['queries'] = []
  for (const name of days.sort()) {
    const day = name.replace('.annotation.txt', '')
    const lines = readFileSync(join(folder, `${day}.raw.txt`), 'utf8').split('\n')
    const said = new Map<number, JudgedDocument>()
    for (const [no, line] of lines.entries()) {
      const [, time, who = '', text = ''] = SAID.exec(line) ?? []
      if (time === undefined) continue
      const second = String(no % 60).padStart(2, '0')
      const at = `${day.slice(0, 10)}T${time}:${second}Z`
      said.set(no, { id: `${day}-${no}`, title: '', text, who, thread: day, at })
    }
    documents.push(...said.values())
    const answers = new Map<number, Set<string>>()
    for (const link of readFileSync(join(folder, name), 'utf8').trim().split('\n')) {
      const [before = 0, after = 0] = link.split(' ').map(Number)
      const [question, answer] = [said.get(before), said.get(after)]
      if (!question || !answer || question.who === answer.who || !question.text.includes('?')) continue
      answers.set(before, (answers.get(before) ?? new Set()).add(answer.id))
    }
    for (const [no, relevant] of answers) {
      const question = said.get(no) as JudgedDocument
      queries.push({ id: question.id, text: question.text, relevant })
    }
  }
  const irc = {
    name: 'irc answers',
    language: 'en',
    metric: 'R@10' as const,
    target: null,
    documents,
    queries,
  }
  return [irc, ...askedOtherwise(irc)]
}
