import { listConnections } from '../../api/owner/catalog.ts'
import { addSources, listClients } from '../../api/owner/grants.ts'
import { boundsOf, type Command, commaList, type Invocation, noteBounds, texts } from '../command.ts'
import { type App, appNamed, type Source, sourceAmong } from '../names.ts'
import { openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { oneLine } from '../terminal/terminal.ts'

export const apps: Command = {
  name: 'apps',
  usage: 'footnote apps [list] [--json]',
  examples: ['footnote apps', 'footnote apps --json'],
  async run({ config, values, positionals, print, note, paint }) {
    if (positionals.some(word => word !== 'list'))
      throw new UsageError(`Unknown: apps ${positionals[0]}.`, 'footnote apps allow APP SOURCE')
    await using server = await openOwnServer(config)
    const listed = await server.call(listClients, {})
    const reading = listed.data.filter(({ connection_ids }) => connection_ids.length > 0)
    if (values.json) return print(JSON.stringify({ ...listed, data: reading }))
    const { data: sources } = await server.call(listConnections, {})
    for (const { client_id, name, connection_ids } of reading) {
      print(`${paint.bold(oneLine(name))}  ${paint.dim(client_id)}`)
      print(
        `  ${connection_ids
          .map(id => nameOf(sources, id))
          .sort()
          .join(', ')}`,
      )
    }
    if (reading.length === 0) note('No app can read anything.')
  },
}

export const appsAllow: Command = {
  name: 'apps allow',
  usage: 'footnote apps allow APP SOURCE… [--stream S]… [--fields a,b] [--since T] [--until T] [--json]',
  examples: [
    'footnote apps allow "Claude Code" "Work mail"',
    'footnote apps allow Codex cin_4f2aqz --stream emails --since 2026-01-01',
  ],
  async run(invocation) {
    const { config, values, positionals, print } = invocation
    const [named, ...sources] = positionals
    if (named === undefined || sources.length === 0)
      throw new UsageError('Name an app and a source.', 'footnote apps allow APP SOURCE')
    await using server = await openOwnServer(config)
    const app = await appNamed(server, named)
    const { data: known } = await server.call(listConnections, {})
    const chosen = sources.map(each => sourceAmong(known, each))
    const bounds = boundsOf(values, server.timeZone)
    noteBounds(invocation, bounds, server.timeZone)
    const json = {
      connections: chosen.map(({ connection_id }) => connection_id),
      streams: texts(values, 'stream') ?? null,
      fields: commaList(values, 'fields') ?? null,
      ...bounds,
    }
    const added = await server.call(addSources, app, { json })
    if (values.json) return print(JSON.stringify(added))
    for (const line of addedLines(app, chosen, added.grants.length > 0, invocation)) print(line)
  },
}

function addedLines(
  app: App,
  sources: readonly Source[],
  isNew: boolean,
  { paint }: Pick<Invocation, 'paint'>,
) {
  const names = sources.map(({ display_name }) => oneLine(display_name)).join(', ')
  if (!isNew) return [`${oneLine(app.name)} can read that already: ${names}`]
  const how = 'This takes effect at its next request; no new sign-in is needed.'
  return [`${paint.bold(oneLine(app.name))} can now read: ${names}`, paint.dim(how)]
}

function nameOf(sources: readonly Source[], id: string): string {
  return oneLine(
    sources.find(({ connection_id }) => connection_id === id)?.display_name ?? 'a removed source',
  )
}
