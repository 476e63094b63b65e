import { listClients } from '../../api/owner-grants.ts'
import { listDisclosures } from '../../api/owner-ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { Shown } from '../../model/access/shown.ts'
import { type Command, noteMore, text } from '../command.ts'
import { openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { oneLine } from '../terminal/terminal.ts'

export const ledger: Command = {
  name: 'ledger',
  summary: 'Shows what clients were shown, newest first.',
  usage: 'footnote ledger [--client NAME|ID] [--since T] [--until T] [--limit N] [--cursor C] [--json]',
  examples: ['footnote ledger', 'footnote ledger --client "Claude Code" --since 2026-11-01 --json'],
  options: {
    client: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    limit: { type: 'string' },
    cursor: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ config, values, print, note, paint }) {
    await using server = await openOwnServer(config)
    const { body: known } = await server.get(listClients, {})
    const { text: answer, body } = await server.get(
      listDisclosures,
      {},
      {
        client_id: clientId(known.data, text(values, 'client')),
        since: text(values, 'since'),
        until: text(values, 'until'),
        limit: text(values, 'limit') ?? '25',
        cursor: text(values, 'cursor'),
      },
    )
    if (values.json) return print(answer)
    const names = new Map(known.data.map(({ client_id, name }) => [client_id, name]))
    for (const { at, client_id, route, shown } of body.data) {
      print(`${at}  ${paint.bold(oneLine(names.get(client_id) ?? client_id))}  ${paint.dim(route)}`)
      for (const each of shown) print(`  ${shownLine(each)}`)
    }
    if (body.data.length === 0) note('No client was shown anything.')
    noteMore({ note, paint }, body.next_cursor)
  },
}

function clientId(
  clients: ReplyOf<typeof listClients>['data'],
  asked: string | undefined,
): string | undefined {
  if (asked === undefined) return undefined
  const found = clients.find(({ client_id, name }) => client_id === asked || name === asked)
  if (found) return found.client_id
  const names = clients.map(({ name }) => oneLine(name)).join(', ')
  throw new UsageError(
    `There is no client "${asked}".`,
    names === '' ? 'footnote grant create --client NAME makes one' : `one of: ${names}`,
  )
}

function shownLine({ connection_id, stream, record_ids, fields, ranges }: Shown): string {
  const records = record_ids.length === 0 ? 'a figure' : record_ids.map(oneLine).join(', ')
  const parts = fields.map(field => {
    const shown = ranges?.[field]?.map(([start, end]) => `${start}-${end}`).join(' ')
    return oneLine(shown ? `${field} ${shown}` : field)
  })
  return `${connection_id}/${stream}: ${records} (${parts.join(', ')})`
}
