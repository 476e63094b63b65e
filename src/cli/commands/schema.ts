import { readSchema } from '../../api/streams.ts'
import { atMostOne, type Command, text } from '../command.ts'
import { sourceId } from '../names.ts'
import { openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { oneLine } from '../terminal/terminal.ts'

export const schema: Command = {
  name: 'schema',
  usage: 'footnote schema [STREAM] [--connection NAME|ID] [--full] [--json]',
  examples: ['footnote schema', 'footnote schema emails', 'footnote schema emails --full --json'],
  async run({ config, values, positionals, print, note, paint }) {
    const stream = atMostOne(positionals, 'stream', 'footnote schema [STREAM]')
    if (values.full && !values.json)
      throw new UsageError('--full needs --json.', 'footnote schema --full --json')
    await using server = await openOwnServer(config)
    const { text: answer, body } = await server.get(
      readSchema,
      {},
      {
        view: values.full ? 'full' : 'compact',
        stream,
        connection_id: await sourceId(server, text(values, 'connection')),
      },
    )
    if (values.json) return print(answer)
    note(paint.dim(`Times are in ${body.time_zone}. Today is ${body.today}.`))
    if (body.streams.length === 0) note('There is no data yet.')
    for (const each of body.streams) {
      print(`${paint.bold(each.stream)}  ${oneLine([each.label, each.detail].filter(Boolean).join('. '))}`)
      for (const { connection_id, connector_key, display_name } of each.connections)
        print(`  ${connection_id}  ${connector_key}  ${oneLine(display_name)}`)
      const fields = Object.entries(each.fields ?? {})
      const width = Math.max(0, ...fields.map(([name]) => name.length))
      for (const [name, flags] of fields)
        print(`    ${oneLine(name).padEnd(width)}  ${paint.dim(oneLine(flags))}`)
      print('')
    }
  },
}
