import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { TimeZone } from '../../../src/model/time.ts'
import { words } from '../../mail.ts'
import { seeded } from '../../random.ts'
import type { Facts } from './facts.ts'
import { chatgptExport, type Dialogue, type Said, slackFiles } from './made-up-chats.ts'
import { fillerMail, type Mail, mbox, OWNER, thread } from './made-up-mail.ts'
import { OWNER_ZONE } from './world.ts'

const ADA = 'Ada Okonkwo <ada.okonkwo@harbour.example>'
const ROOFER = 'Jens Dachs <jens@roofs.example>'
const DAY = '2024-08-02'
const AVOIDED = ['2024-08-01', DAY, '2024-08-03']

const mail = (from: string, at: string, subject: string, body: string, more: Partial<Mail> = {}): Mail => ({
  id: `${subject.toLowerCase().replace(/\W+/g, '-')}@planted.example`,
  from,
  to: OWNER,
  subject,
  at,
  body,
  ...more,
})

const random = seeded(20)
/** Twenty messages of 37 kB, of which one decides. */
const ROOF = thread(
  'The roof of the studio',
  [OWNER, ROOFER, 'Tomas Vale <tomas@studio.example>'],
  '2024-05-06T07:00:00Z',
  Array.from({ length: 20 }, (_, n) => {
    const filler = words(random, 1_780)
    return n === 16
      ? `${filler}\n\nSo it is decided: slate it is, and the work begins on 3 September.`
      : `${filler}\n\nAbout the roof, part ${n + 1}.`
  }),
)

const PRIVATE: Mail[] = [
  mail(ADA, '2024-04-10T08:00:00Z', 'Moorings', 'Your mooring is free from May.'),
  mail(ADA, '2024-06-20T15:30:00Z', 'The keys for the boathouse', 'The keys are under the third pot.'),
  mail(
    'Nils Auer <nils@club.example>',
    '2024-08-01T22:30:00Z',
    'Midnight swim',
    'Half past twelve and still warm.',
  ),
  mail('Nils Auer <nils@club.example>', '2024-08-02T22:30:00Z', 'The morning after', 'Never again.'),
  mail(
    'Lena Voss <lena@cover.example>',
    '2024-03-04T09:00:00Z',
    'Your insurance claim',
    'The claim for the canoe is paid.',
  ),
]
const WORK: Mail[] = [
  ...ROOF,
  mail(ROOFER, '2024-05-02T10:00:00Z', 'Estimate for the roof', 'The estimate is attached.', {
    pdf: { name: 'estimate.pdf', text: 'Slate and labour come to 18,400 crowns, scaffold included.' },
  }),
  mail(
    'Lena Voss <lena@cover.example>',
    '2024-03-06T09:00:00Z',
    'Insurance claim, studio',
    'The claim for the window needs a photograph.',
  ),
]
const OLD: Mail[] = [
  mail(
    'Greta Moll <greta@old.example>',
    '2023-07-12T12:00:00Z',
    'A boathouse',
    'There is a boathouse by the weir that nobody uses.',
  ),
]

const EVENTS: Said[] = [
  {
    user: 'Ilse',
    at: '2024-06-11T09:15:00Z',
    text: 'I suggest that we rent the boathouse for the summer party.',
  },
  { user: 'Tomas', at: '2024-06-11T09:20:00Z', text: 'The boathouse has no kitchen.' },
  { user: 'Ilse', at: '2024-06-11T09:21:00Z', text: 'Then we bring soup. Ada Okonkwo has the keys.' },
  { user: 'Ilse', at: '2024-06-28T17:00:00Z', text: 'Forty guests, three guitars, one rescued duck.' },
  { user: 'Yusuf', at: '2024-03-05T09:00:00Z', text: 'Has anybody heard about the insurance claim?' },
  { user: 'Mara', at: '2024-08-02T10:00:00Z', text: 'The ferry was late again.' },
]
const SOURDOUGH: Dialogue = {
  title: 'Sourdough hydration',
  at: '2024-02-10T18:00:00Z',
  turns: Array.from({ length: 13 }, (_, n) => {
    if (n === 0) return 'How much water does a sourdough loaf need if the flour is half rye?'
    if (n === 12) return 'Thank you. I shall write down what comes out of the oven.'
    return `Step ${n} about hydration of the dough: ${words(random, 360)}`
  }),
}

const ALL = {
  'Private mail': [...PRIVATE, ...fillerMail(120, 1, AVOIDED)],
  'Work mail': [...WORK, ...fillerMail(120, 2, AVOIDED)],
  'Old mail': [...OLD, ...fillerMail(60, 3, AVOIDED)],
}

/** Writes the exports of an invented life: three mailboxes, Slack, ChatGPT and notes. */
export async function madeUpFiles(folder: string): Promise<{ path: string; name: string }[]> {
  const files: Record<string, string> = {}
  for (const [name, mails] of Object.entries(ALL)) files[`${name}.mbox`] = mbox(mails)
  const slack = slackFiles({ general: [], events: EVENTS, kitchen: [] }, 120, [...AVOIDED, '2024-06'])
  for (const [path, text] of Object.entries(slack)) files[`slack/${path}`] = text
  const dialogues = Array.from({ length: 10 }, (_, n) => ({
    title: words(random, 20),
    at: new Date(Date.UTC(2024, 0, 5 + n, 12)).toISOString(),
    turns: Array.from({ length: 6 }, () => words(random, 200)),
  }))
  files['chatgpt/conversations.json'] = chatgptExport([SOURDOUGH, ...dialogues])
  files['notes/People/Ada.md'] =
    '---\ncreated: 2024-04-11\n---\n\n# Ada Okonkwo\n\nHarbour office. Knows every knot.\n'
  files[`notes/Days/${DAY}.md`] = '# Friday\n\nFound the lost compass in the bread bin.\n'
  for (let n = 0; n < 25; n++) files[`notes/Filler/Note ${n}.md`] = `# Note ${n}\n\n${words(random, 600)}\n`
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return [
    ...Object.keys(ALL).map(name => ({ name, path: join(folder, `${name}.mbox`) })),
    { name: 'Studio Slack', path: join(folder, 'slack') },
    { name: 'ChatGPT', path: join(folder, 'chatgpt') },
    { name: 'Notebook', path: join(folder, 'notes') },
  ]
}

const zone = new TimeZone(OWNER_ZONE)
const mails = Object.values(ALL).flat()
const monthOf = ({ at }: Mail) => zone.dayOf(Date.parse(at)).slice(0, 7)
const addressOf = ({ from }: Mail) => /<(.+)>/.exec(from)?.[1] ?? ''
const top = [...Map.groupBy(mails, addressOf)].sort((a, b) => b[1].length - a[1].length)[0] ?? ['', []]

export const MADE_UP_FACTS: Facts = {
  suggested: {
    search: { query: 'Who suggested to rent the boathouse?', connector: 'slack' },
    expected: { words: 'rent the boathouse', author: 'Ilse', at: '2024-06-11T09:15:00Z' },
  },
  thread: {
    search: { query: 'what was decided about the roof of the studio', connector: 'mail' },
    decided: 'So it is decided: slate it is',
    messages: ROOF.length,
    bytes: ROOF.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0),
  },
  figures: {
    month: { key: '2024-05', count: mails.filter(each => monthOf(each) === '2024-05').length },
    sender: { key: top[0], count: top[1].length },
    senderMonth: {
      sender: 'jens@roofs.example',
      month: '2024-05',
      count: mails.filter(each => addressOf(each) === 'jens@roofs.example').length,
    },
  },
  lastFrom: ['okonkwo', 'Ada Okonkwo', 'ada.okonkwo@harbour.example'].map(person => ({
    person,
    expected: { words: 'The keys for the boathouse', author: 'Ada Okonkwo', at: '2024-06-20T15:30:00Z' },
  })),
  conversation: {
    search: { query: 'sourdough hydration', connector: 'chatgpt' },
    first: 'How much water does a sourdough loaf need',
    last: 'what comes out of the oven',
    messages: 13,
  },
  asked: {
    search: { query: 'sourdough water rye', connector: 'chatgpt' },
    question: 'How much water does a sourdough loaf need',
  },
  saidInChannel: {
    person: 'Ilse',
    channel: 'events',
    month: '2024-06',
    said: ['rent the boathouse for the summer party', 'Then we bring soup', 'one rescued duck'],
  },
  attachment: { type: 'pdf', subjects: ['Estimate for the roof'], text: 'Slate and labour come to 18,400' },
  day: {
    day: DAY,
    words: ['Midnight swim', 'The ferry was late', 'lost compass'],
    not: ['The morning after'],
  },
  person: { search: { query: 'Ada Okonkwo' }, sources: ['Private mail', 'Studio Slack', 'Notebook'] },
  mentioned: {
    word: 'boathouse',
    last: { words: 'boathouse', author: 'Ada Okonkwo', at: '2024-06-20T15:30:00Z' },
    first: { words: 'boathouse', author: 'Greta Moll', at: '2023-07-12T12:00:00Z' },
    week: { key: '2024-06-17', count: 1 },
  },
  mailAlone: {
    search: { query: 'insurance claim', connector: 'mail' },
    mailboxes: ['Private mail', 'Work mail'],
    not: 'Studio Slack',
  },
  quoted: {
    search: { query: 'decided slate begins September' },
    quote: 'So it is decided: slate it is, and the work begins on 3 September.',
  },
  nothing: {
    person: { wrong: 'Ada Okonkvo', right: 'ada.okonkwo@harbour.example' },
    filter: { stream: 'emails', field: 'from', value: 'Ada Okonkwo', count: 2 },
    time: { search: { query: 'boathouse' }, until: '1990' },
    sources: ['Private mail', 'Old mail', 'Studio Slack'],
  },
}
