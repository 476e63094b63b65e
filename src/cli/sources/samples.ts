import { deleteConnection } from '../../api/owner/catalog.ts'
import type { Command } from '../command.ts'
import { importSamples, sampleSources } from '../import/import-samples.ts'
import { rememberSamples } from '../import/sample-memory.ts'
import { openOwnServer, startOwnServer } from '../own-server.ts'
import { confirm } from '../terminal/confirmation.ts'
import { goingWith, removalLines } from './removal.ts'

export const samplesRemove: Command = {
  name: 'samples remove',
  usage: 'footnote samples remove [--yes] [--json]',
  examples: ['footnote samples remove', 'footnote samples remove --yes --json'],
  async run(invocation) {
    const { config, values, print, note } = invocation
    await using server = await openOwnServer(config)
    const going = await goingWith(server, await sampleSources(server))
    if (going.length > 0) {
      for (const line of removalLines(going)) note(line)
      await confirm(invocation, 'remove', 'footnote samples remove --yes')
    }
    for (const { connection_id, display_name } of going) {
      await server.call(deleteConnection, { connection_id })
      if (!values.json) print(`${connection_id}  removed  ${display_name}`)
    }
    rememberSamples(config.location.directory, 'removed')
    if (values.json) print(JSON.stringify({ removed: going }))
    else if (going.length === 0) note('There is no sample data.')
  },
}

export const samplesImport: Command = {
  name: 'samples import',
  usage: 'footnote samples import [--json]',
  examples: ['footnote samples import'],
  async run({ config, values, print }) {
    await using server = await startOwnServer(config)
    const imported: object[] = []
    await importSamples(server, new AbortController().signal, sample => {
      imported.push(sample)
      if (!values.json) print(`${sample.name}  ${sample.format}  ${sample.records} added`)
    })
    rememberSamples(config.location.directory, 'imported')
    if (values.json) print(JSON.stringify({ imported }))
  },
}
