import { join } from 'node:path'
import { PLANTED_PASSAGE } from './sample-document.ts'

interface Sample {
  /** The name of the connection. */
  name: string
  path: string
  format: string
}

const folder = join(import.meta.dirname, '../../samples')

/** The bundled exports of an invented person; the log book of sample-document.ts belongs to them. */
export const SAMPLES: readonly Sample[] = [
  { name: 'Home mail', path: join(folder, 'mail-home.mbox'), format: 'mbox' },
  { name: 'Work mail', path: join(folder, 'mail-work.mbox'), format: 'mbox' },
  { name: 'Foldout Slack', path: join(folder, 'slack-foldout'), format: 'slack' },
  { name: 'ChatGPT', path: join(folder, 'chatgpt'), format: 'chatgpt' },
  { name: 'Notes', path: join(folder, 'notes'), format: 'markdown' },
]

/** A question that the samples answer. The best hit of the query is the log book, at the passage. */
export const EXAMPLE = {
  question: 'When was the engine of the Wagtail last overhauled, by whom, and what did it cost?',
  query: 'engine overhaul cost',
  stream: 'notes',
  title: 'The log of the Wagtail',
  passage: PLANTED_PASSAGE,
} as const
