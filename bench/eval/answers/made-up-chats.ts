import { words } from '../../mail.ts'
import { seeded } from '../../random.ts'

export interface Said {
  user: string
  text: string
  at: string
}

const USERS = ['Mara', 'Ilse', 'Tomas', 'Yusuf'].map((name, n) => ({ id: `U0${n}MADEUP0`, name }))

/** The files of a Slack export: the planted messages of each channel, among meaningless words. */
export function slackFiles(
  planted: Readonly<Record<string, readonly Said[]>>,
  fillers: number,
  avoided: readonly string[],
): Record<string, string> {
  const created = Date.parse('2023-07-01T00:00:00Z') / 1_000
  const members = USERS.map(({ id }) => id)
  const channels = Object.keys(planted).map((name, n) => ({
    id: `C0${n}MADEUP0`,
    name,
    created,
    creator: members[0],
    is_archived: false,
    is_general: n === 0,
    members,
    topic: { value: '', creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
  }))
  const users = USERS.map(({ id, name }) => ({
    id,
    name: name.toLowerCase(),
    deleted: false,
    real_name: name,
    profile: { real_name: name, display_name: name },
  }))
  const files: Record<string, string> = {
    'channels.json': JSON.stringify(channels),
    'users.json': JSON.stringify(users),
  }
  for (const [channel, said] of Object.entries(planted)) {
    const random = seeded(channel.length + 77)
    const filler = Array.from({ length: fillers }, (): Said => {
      const day = Date.UTC(2023, 6, 1) + Math.floor(random() * 600) * 86_400_000
      return {
        user: USERS[Math.floor(random() * USERS.length)]?.name ?? '',
        text: words(random, 20 + Math.floor(random() * 120)),
        at: new Date(day + Math.floor(random() * 30_000) * 1_000 + 28_800_000).toISOString(),
      }
    }).filter(({ at }) => !avoided.some(time => at.startsWith(time)))
    const days = Map.groupBy([...said, ...filler], ({ at }) => at.slice(0, 10))
    for (const [day, all] of days) {
      const messages = all
        .toSorted((a, b) => a.at.localeCompare(b.at))
        .map(({ user, text, at }, n) => ({
          type: 'message',
          user: USERS.find(({ name }) => name === user)?.id,
          text,
          ts: `${Date.parse(at) / 1_000}.${String(n + 1).padStart(6, '0')}`,
        }))
      files[`${channel}/${day}.json`] = JSON.stringify(messages)
    }
  }
  return files
}

export interface Dialogue {
  title: string
  at: string
  /** What the owner asks, and what is answered, in turns. */
  turns: string[]
}

/** The conversations of a ChatGPT export. */
export function chatgptExport(dialogues: readonly Dialogue[]): string {
  return JSON.stringify(
    dialogues.map(({ title, at, turns }, c) => {
      const id = `made-up-${String(c).padStart(4, '0')}`
      const start = Date.parse(at) / 1_000
      const node = (n: number) => (n === 0 ? `${id}-root` : `${id}-${n}`)
      const mapping = Object.fromEntries([
        [node(0), { id: node(0), message: null, parent: null, children: [node(1)] }],
        ...turns.map((text, n) => [
          node(n + 1),
          {
            id: node(n + 1),
            message: {
              id: node(n + 1),
              author: { role: n % 2 === 0 ? 'user' : 'assistant', name: null, metadata: {} },
              create_time: start + 60 * n,
              content: { content_type: 'text', parts: [text] },
              status: 'finished_successfully',
              recipient: 'all',
              metadata: {},
            },
            parent: node(n),
            children: n + 1 < turns.length ? [node(n + 2)] : [],
          },
        ]),
      ])
      return {
        id,
        conversation_id: id,
        title,
        create_time: start,
        update_time: start + 60 * turns.length,
        current_node: node(turns.length),
        mapping,
      }
    }),
  )
}
