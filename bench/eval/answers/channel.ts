import type { Client } from '@modelcontextprotocol/client'
import { callsIn } from '../../../test/mcp-client.ts'

export const CHANNELS = ['text', 'structured'] as const
/** Which half of an answer a host passes to its model. */
export type Channel = (typeof CHANNELS)[number]

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Loose = any

export interface Call {
  tool: string
  args: Record<string, unknown>
}

/** One hit or row as a model sees it: its id, and everything shown of it. */
export interface ShownRecord {
  id: string
  shown: string
}

/** One window of a conversation or of a text. */
interface ShownWindow {
  id: string
  text: string
  messages: ShownRecord[]
  complete: boolean
  next: string | null
  previous: string | null
}

/** An answer of which only one channel is visible. */
export interface Received {
  /** The complete text, as the model reads it. */
  body: string
  isError: boolean
  records(): ShownRecord[]
  calls(): Call[]
  /** A link that opens the passage of a hit. */
  linkOf(record: ShownRecord): string
  window(): ShownWindow
}

/** A model that sees one channel: it makes calls, and what it receives is counted. */
export class Asker {
  readonly channel: Channel
  readonly #client: Client
  calls = 0
  bytes = 0

  constructor(client: Client, channel: Channel) {
    this.#client = client
    this.channel = channel
  }

  async ask(tool: string, args: Record<string, unknown>): Promise<Received> {
    const result: Loose = await this.#client.callTool({ name: tool, arguments: args })
    this.calls++
    const isError = result.isError === true
    const text: string = result.content[0].text
    // An error has no structured content in any host.
    const received =
      this.channel === 'text' || isError ? new TextAnswer(text, isError) : new StructuredAnswer(result)
    this.bytes += Buffer.byteLength(received.body)
    return received
  }
}

const ID_LINE = /^(\S+\/\S+?:\S+|pdpp:\/\/record\/\S+)/

class TextAnswer implements Received {
  readonly body: string
  readonly isError: boolean

  constructor(body: string, isError: boolean) {
    this.body = body
    this.isError = isError
  }

  records(): ShownRecord[] {
    const found: ShownRecord[] = []
    let isOpen = false
    for (const line of this.body.split('\n')) {
      const id = ID_LINE.exec(line)?.[1]
      if (id !== undefined) found.push({ id, shown: line })
      const last = found.at(-1)
      isOpen = id !== undefined || (isOpen && line.startsWith('  '))
      if (id === undefined && isOpen && last) last.shown += `\n${line}`
    }
    return found
  }

  calls(): Call[] {
    return callsIn(this.body)
  }

  /** The printed link, or else one formed by the pattern stated in the text. */
  linkOf({ id, shown }: ShownRecord): string {
    const printed = /^ {2}(https?:\/\/\S+)$/m.exec(shown)?.[1]
    if (printed !== undefined) return printed
    const pattern = /Link: (\S+)/.exec(this.body)?.[1] ?? ''
    const [, field = '', from = '', to = ''] = /^ {2}(\S+) (\d+)-(\d+)(?: of \d+)?: /m.exec(shown) ?? []
    return pattern.replace('ID', id).replace('FIELD', field).replace('FROM', from).replace('TO', to)
  }

  window(): ShownWindow {
    const [first = '', ...rest] = this.body.split('\n')
    const header = JSON.parse(first)
    const inside = rest.join('\n')
    const fenced = new RegExp(`(.*)\n<<<${header.boundary}\n([\\s\\S]*?)\n${header.boundary}>>>`, 'g')
    const messages = [...`\n${inside}`.matchAll(fenced)].map(([, heading = '', text = '']) => ({
      id: /^\[(.+?)\] /.exec(heading)?.[1] ?? header.id,
      shown: `${heading}\n${text}`,
    }))
    return {
      id: header.id,
      text: messages.map(({ shown }) => shown).join('\n'),
      messages,
      complete: header.complete,
      next: header.next_cursor,
      previous: header.previous_cursor,
    }
  }
}

class StructuredAnswer implements Received {
  readonly body: string
  readonly isError = false
  readonly #content: Loose

  constructor(result: Loose) {
    this.#content = result.structuredContent
    this.body = JSON.stringify(this.#content)
  }

  records(): ShownRecord[] {
    const { results = [], data } = this.#content
    return results.map((result: Loose, index: number) => ({
      id: result.id,
      shown: JSON.stringify([result, data?.data?.[index]]),
    }))
  }

  calls(): Call[] {
    const found: Call[] = []
    const visit = (value: Loose): void => {
      if (typeof value !== 'object' || value === null) return
      if (typeof value.tool === 'string' && typeof value.args === 'object') found.push(value)
      for (const child of Object.values(value)) visit(child)
    }
    visit(this.#content)
    return found
  }

  linkOf({ id }: ShownRecord): string {
    return this.#content.results.find((result: Loose) => result.id === id).url
  }

  window(): ShownWindow {
    const { conversation, messages, record, window } = this.#content
    if (window)
      return {
        id: record.id,
        text: window.text,
        messages: [],
        complete: window.complete,
        next: window.next_cursor,
        previous: window.previous_cursor,
      }
    return {
      id: conversation.id,
      text: messages.map(({ text }: Loose) => text).join('\n'),
      messages: messages.map((message: Loose) => ({ id: message.id, shown: JSON.stringify(message) })),
      complete: conversation.complete,
      next: conversation.next_cursor,
      previous: conversation.previous_cursor,
    }
  }
}
