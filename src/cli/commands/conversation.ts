import { type ConversationMessage, readConversation } from '../../api/conversation.ts'
import { namedBy, originOfLink } from '../../model/ids/citation.ts'
import type { TimeZone } from '../../model/time.ts'
import { type Command, type Invocation, onlyOne, shownTime, text } from '../command.ts'
import { sourceId } from '../names.ts'
import { openOwnServer } from '../own-server.ts'
import { inert, oneLine } from '../terminal/terminal.ts'
import { idOf } from './search.ts'

export const conversation: Command = {
  name: 'conversation',
  usage:
    'footnote conversation ID [--before N] [--after N] [--limit CHARACTERS] [--cursor C] [--connection NAME|ID] [--json]',
  examples: [
    'footnote conversation cin_7d4kqz/chat:c-7',
    'footnote conversation cin_7d4kqz/chat:c-7 --before 2 --after 2 --json',
  ],
  links: true,
  async run(invocation) {
    const { config, values, positionals, print, note, paint } = invocation
    const id = onlyOne(positionals, 'the id of a record', 'footnote conversation ID')
    await using server = await openOwnServer(config)
    const connection = await sourceId(server, text(values, 'connection'))
    const record = namedBy(id, connection, originOfLink(id))
    const { text: answer, body } = await server.get(readConversation, record, {
      connection_id: record.connection_id,
      before: text(values, 'before'),
      after: text(values, 'after'),
      limit_chars: text(values, 'limit'),
      cursor: text(values, 'cursor'),
    })
    if (values.json) return print(answer)
    const { title, place, complete, left_out, previous_cursor, next_cursor } = body.conversation
    const parts = new Set([title, place])
    const head = [...parts].flatMap(part => (part === null ? [] : [oneLine(part)])).join(' · ')
    if (head !== '') print(`${paint.bold(head)}\n`)
    for (const message of body.messages)
      for (const line of messageLines(message, body, server.timeZone, invocation)) print(line)
    if (complete) note(paint.dim('This is the whole conversation.'))
    if (left_out > 0) note(paint.dim(`The source leaves out ${left_out} more.`))
    if (previous_cursor) note(paint.dim(`Before: --cursor ${previous_cursor}`))
    if (next_cursor) note(paint.dim(`Next: --cursor ${next_cursor}`))
  },
}

function messageLines(
  message: ConversationMessage,
  place: { connection_id: string; stream: string },
  zone: TimeZone,
  { paint, isTerminal, spelled }: Pick<Invocation, 'paint' | 'isTerminal' | 'spelled'>,
): string[] {
  const { record_key, occurred_at, author, text, complete, field_path, asked } = message
  const id = idOf({ ...place, record_id: record_key })
  const facts = [occurred_at && shownTime(occurred_at, zone), author && oneLine(author)].filter(Boolean)
  return [
    `${paint.bold(facts.join('  '))}  ${paint.dim(id)}${asked ? paint.dim('  <- asked') : ''}`,
    isTerminal ? inert(text) : text,
    ...(complete || field_path === null
      ? []
      : [paint.dim(`  more: ${spelled('footnote read')} ${id} ${field_path}`)]),
    '',
  ]
}
