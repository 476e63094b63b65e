import type { Socket } from 'node:net'
import { type Listening, listening } from './imap-transcript.ts'

export interface FakeMessage {
  uid: number
  text: string
  flags: string[]
  /** The size that the server reports, if it differs from the real one. */
  size?: number
  /** Additional data from Gmail. */
  gmail?: { msgid: string; thrid: string; labels: string[] }
}

interface FakeFolder {
  validity: number
  messages: FakeMessage[]
}

/**
 * A small IMAP server without extensions that speed up a sync: no CONDSTORE, no LIST-STATUS. Tests change its folders
 * directly and can read the commands it received.
 */
export class FakeImap implements AsyncDisposable {
  readonly folders = new Map<string, FakeFolder>()
  readonly said: string[] = []
  password: string
  capabilities: string
  /** Folders that it lists but does not open. */
  readonly refused = new Set<string>()
  /** If it returns true, the usual answer is not sent. */
  interfere: (command: string, tag: string, socket: Socket) => boolean = () => false
  #server: Listening | null = null

  constructor(password: string, capabilities = 'IMAP4rev1') {
    this.password = password
    this.capabilities = capabilities
  }

  get port(): number {
    return this.#server?.port ?? 0
  }

  async start(): Promise<this> {
    this.#server = await listening(socket => this.#serve(socket))
    return this
  }

  #serve(socket: Socket): void {
    let rest = ''
    let open: FakeFolder | null = null
    socket.write(`* OK [CAPABILITY ${this.capabilities}] ready\r\n`)
    socket.on('data', bytes => {
      const lines = (rest + bytes.toString('latin1')).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? []
        this.said.push(command)
        if (this.interfere(command, tag, socket)) continue
        const examined = /^EXAMINE "?([^"]*)"?$/.exec(command)?.[1]
        if (examined !== undefined && !this.refused.has(examined)) open = this.folders.get(examined) ?? null
        socket.write(Buffer.from(this.#answer(tag, command, open, examined), 'latin1'))
        if (command === 'LOGOUT') socket.end()
      }
    })
  }

  #answer(tag: string, command: string, open: FakeFolder | null, examined: string | undefined): string {
    const ok = `${tag} OK done\r\n`
    if (command.startsWith('LOGIN'))
      return command.includes(this.password) ? ok : `${tag} NO [AUTHENTICATIONFAILED] Invalid credentials\r\n`
    if (command === 'CAPABILITY') return `* CAPABILITY ${this.capabilities}\r\n${ok}`
    if (command === 'LIST "" ""') return `* LIST (\\Noselect) "/" ""\r\n${ok}`
    if (command.startsWith('LIST')) {
      const isAll = (path: string) => (path === '[Gmail]/All Mail' ? ' \\All' : '')
      return (
        [...this.folders.keys()]
          .map(path => `* LIST (\\HasNoChildren${isAll(path)}) "/" "${path}"\r\n`)
          .join('') + ok
      )
    }
    const asked = /^STATUS "?([^"(]*?)"? \(/.exec(command)?.[1]
    if (asked !== undefined) {
      const folder = this.folders.get(asked)
      if (!folder) return `${tag} NO none\r\n`
      const { messages, validity } = folder
      return `* STATUS "${asked}" (MESSAGES ${messages.length} UIDNEXT ${nextOf(folder)} UIDVALIDITY ${validity})\r\n${ok}`
    }
    if (examined !== undefined) {
      if (!open || this.refused.has(examined)) return `${tag} NO [NOPERM] not yours\r\n`
      const { messages, validity } = open
      return `* ${messages.length} EXISTS\r\n* OK [UIDVALIDITY ${validity}] v\r\n* OK [UIDNEXT ${nextOf(open)}] n\r\n${tag} OK [READ-ONLY] done\r\n`
    }
    if (command.startsWith('UID SEARCH'))
      return `* SEARCH ${open?.messages.map(({ uid }) => uid).join(' ')}\r\n${ok}`
    const [, range = '', items = ''] = /^UID FETCH (\S+) \(?(.*?)\)?$/.exec(command) ?? []
    if (range === '') return ok
    return `${this.#fetched(open, range, items)}${ok}`
  }

  #fetched(open: FakeFolder | null, range: string, items: string): string {
    const wanted = (uid: number) => range === '1:*' || range.split(',').some(part => isIn(part, uid))
    return (open?.messages ?? [])
      .map((message, index) => ({ message, seq: index + 1 }))
      .filter(({ message }) => wanted(message.uid))
      .map(({ message, seq }) => {
        const { uid, text, flags, gmail } = message
        const bytes = text.replaceAll('\n', '\r\n')
        const size = message.size ?? Buffer.byteLength(bytes, 'latin1')
        const told = [`UID ${uid}`]
        if (items.includes('FLAGS')) told.push(`FLAGS (${flags.join(' ')})`)
        if (items.includes('RFC822.SIZE')) told.push(`RFC822.SIZE ${size}`)
        if (gmail) told.push(`X-GM-MSGID ${gmail.msgid}`)
        if (gmail && items.includes('X-GM-THRID')) told.push(`X-GM-THRID ${gmail.thrid}`)
        if (gmail && items.includes('X-GM-LABELS'))
          told.push(
            `X-GM-LABELS (${gmail.labels.map(label => `"${label.replace('\\', '\\\\')}"`).join(' ')})`,
          )
        const [, from, most] = /BODY\.PEEK\[\](?:<(\d+)\.(\d+)>)?/.exec(items) ?? []
        if (items.includes('BODY.PEEK[]')) {
          const part = from === undefined ? bytes : bytes.slice(Number(from), Number(from) + Number(most))
          const at = from === undefined ? '' : `<${from}>`
          told.push(`BODY[]${at} {${Buffer.byteLength(part, 'latin1')}}\r\n${part}`)
        }
        return `* ${seq} FETCH (${told.join(' ')})\r\n`
      })
      .join('')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]()
  }
}

function nextOf({ messages }: FakeFolder): number {
  return Math.max(0, ...messages.map(({ uid }) => uid)) + 1
}

function isIn(part: string, uid: number): boolean {
  const [from = 0, to = from] = part.split(':').map(Number)
  return uid >= from && uid <= to
}
