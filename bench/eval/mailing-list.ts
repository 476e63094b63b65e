import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mailMessage, mailsOf } from '../parity/mail.ts'
import type { JudgedCollection, JudgedDocument } from './collections.ts'

const MOST_QUERIES = 150

/**
 * Mails of a list: queries are subjects and names of people; relevant are the mails with that subject, or by that
 * person.
 */
export function mailCollections(place: string): JudgedCollection[] {
  const file = join(place, 'share', 'git-2023-12.mbox')
  if (!existsSync(file)) return []
  const documents = mailsOf(readFileSync(file, 'latin1')).map((mail, i): JudgedDocument => {
    const { subject, from, body, received_at } = mailMessage(mail)
    return { id: `m${i}`, title: subject, text: body, who: from, thread: topicOf(subject), at: received_at }
  })
  const common = { language: 'en', metric: 'nDCG@10' as const, target: null, documents }
  const queriesBy = (keyOf: (document: JudgedDocument) => string) => {
    const groups = Map.groupBy(documents, keyOf)
    groups.delete('')
    return [...groups].slice(0, MOST_QUERIES).map(([text, found], i) => ({
      id: `q${i}`,
      text,
      relevant: new Set(found.map(({ id }) => id)),
    }))
  }
  return [
    { ...common, name: 'mail by subject', queries: queriesBy(({ title }) => topicOf(title)) },
    { ...common, name: 'mail by author', queries: queriesBy(({ who }) => nameOf(who ?? '')) },
  ]
}

function topicOf(subject: string): string {
  return subject.replace(/^(\s*(re|fwd?)\s*:|\s*\[[^\]]*\])*\s*/i, '')
}

/** The name of a person with at least two names. */
function nameOf(from: string): string {
  const name = from.replace(/<.*$/, '').replaceAll('"', '').trim()
  return /\s/.test(name) ? name : ''
}
