import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SAMPLE_DOCUMENT_NAME, sampleDocument } from '../../../src/samples/sample-document.ts'
import { SAMPLES } from '../../../src/samples/samples.ts'
import type { Facts } from './facts.ts'

export async function sampleFiles(folder: string): Promise<{ path: string; name: string }[]> {
  const log = join(folder, SAMPLE_DOCUMENT_NAME)
  await writeFile(log, sampleDocument())
  return [...SAMPLES, { path: log, name: 'Log book' }]
}

/** The questions about the bundled samples. */
export const SAMPLE_FACTS: Facts = {
  suggested: {
    search: { query: 'Who suggested the name Mackerel Stone?', connector: 'slack' },
    expected: { words: 'Mackerel Stone', author: 'Tilda', at: '2025-05-19T10:31:00Z' },
  },
  thread: {
    search: { query: 'offer for the Wagtail Mr Quill', connector: 'mail' },
    decided: 'we are keeping her',
    messages: 5,
    bytes: 2_000,
  },
  figures: {
    month: { key: '2025-03', count: 26 },
    sender: { key: 'priya@foldout.example', count: 8 },
    senderMonth: { sender: 'priya@foldout.example', month: '2025-03', count: 5 },
  },
  lastFrom: ['hedda', 'Hedda Ruusk', 'hedda.ruusk@example.net'].map(person => ({
    person,
    expected: { words: 'Ihre Frage zur Maschine', author: 'Hedda Ruusk', at: '2025-03-19T16:26:44Z' },
  })),
  conversation: {
    search: { query: 'smoking mackerel', connector: 'chatgpt' },
    first: 'How do I hot-smoke mackerel at home',
    last: 'Hot-smoked and cool, about a week.',
    messages: 4,
  },
  asked: {
    search: { query: 'smoking mackerel', connector: 'chatgpt' },
    question: 'How do I hot-smoke mackerel at home',
  },
  saidInChannel: {
    person: 'Ewa',
    channel: 'skarn-sound',
    month: '2025-05',
    said: ['Something against seasickness', '412 soundings, 1 rock'],
  },
  attachment: { type: 'csv', subjects: ['Fold test'], text: 'mulberry' },
  day: { day: '2025-03-20', words: ['Found it', 'Gefunden!'], not: ['Re: Found it'] },
  person: { search: { query: 'Hedda Ruusk' }, sources: ['Home mail', 'Notes', 'Log book'] },
  mentioned: {
    word: 'mackerel',
    last: { words: 'Mackerel Stone in italics', author: 'Priya Sandoval', at: '2025-06-10T05:55:40Z' },
    first: { words: 'mackerel' },
    week: { key: '2025-03-10', count: 1 },
  },
  mailAlone: {
    search: { query: 'Wagtail insurance', connector: 'mail' },
    mailboxes: ['Home mail', 'Work mail'],
    not: 'Foldout Slack',
  },
  quoted: {
    search: { query: 'engine overhaul cost' },
    quote: 'overhaul of the engine cost 4,180 crowns',
  },
  nothing: {
    person: { wrong: 'Heda Rusk', right: 'hedda.ruusk@example.net' },
    filter: { stream: 'emails', field: 'from', value: 'Hedda', count: 1 },
    time: { search: { query: 'Wagtail' }, until: '1960' },
    sources: ['Home mail', 'Foldout Slack'],
  },
}
