import { forgetMeaning, readMeaning } from '../../api/owner/meaning.ts'
import type { ReplyOf } from '../../api/route.ts'
import { uninstall } from '../../data-folder/installation.ts'
import { isMeaningOn } from '../../meaning/folder.ts'
import { counted, number } from '../../model/amounts.ts'
import type { Command } from '../command.ts'
import { openOwnServer } from '../own-server.ts'
import { installWithConsent, megabytes } from '../terminal/installing.ts'

const MEGABYTE = 1_000_000
/** The disk space that the packages take, and the memory that the process needs while it works. */
const DISK_BYTES = 70 * MEGABYTE
const MEMORY_BYTES = 200 * MEGABYTE

export const meaningOn: Command = {
  name: 'meaning on',
  usage: 'footnote meaning on [--yes]',
  examples: ['footnote meaning on', 'footnote meaning on --yes'],
  async run(invocation) {
    const { config, print, spelled } = invocation
    const { directory } = config.location
    if (isMeaningOn(directory)) return print('Meaning is on already.')
    const { MEANING } = await import('../../meaning/installation.ts')
    await installWithConsent(invocation, MEANING, {
      diskBytes: DISK_BYTES,
      told: [
        `A low-priority process then reads the texts of all records and stores a vector of 384 bytes for each. It uses about ${megabytes(MEMORY_BYTES)} of memory.`,
        'Search then also ranks the records that match by meaning. It works best in English.',
      ],
    })
    print(
      spelled(
        'Meaning is on. A running server begins within a few seconds. To see its progress: footnote meaning status',
      ),
    )
  },
}

export const meaningOff: Command = {
  name: 'meaning off',
  usage: 'footnote meaning off',
  examples: ['footnote meaning off'],
  async run({ config, print }) {
    const { MEANING } = await import('../../meaning/installation.ts')
    await using server = await openOwnServer(config)
    uninstall(config.location.directory, MEANING)
    await server.call(forgetMeaning, {})
    print('Meaning is off. The model and the vectors are removed.')
  },
}

export const meaningStatus: Command = {
  name: 'meaning status',
  usage: 'footnote meaning status [--json]',
  examples: ['footnote meaning status', 'footnote meaning status --json'],
  async run({ config, values, print, spelled }) {
    const on = isMeaningOn(config.location.directory)
    await using server = await openOwnServer(config)
    const coverage = await server.call(readMeaning, {})
    if (values.json) return print(JSON.stringify({ on, ...coverage }))
    if (!on) return print(spelled('Meaning is off. Turn it on with footnote meaning on.'))
    print(`Meaning is on (${coverage.model}).`)
    print(coverageLine(coverage))
  },
}

/** The progress in one sentence. */
export function coverageLine({
  records,
  done,
  seconds_left,
}: Omit<ReplyOf<typeof readMeaning>, 'object' | 'model'>): string {
  const share = `${number(done)} of ${number(records)} records are done`
  if (done >= records) return `${share}.`
  if (seconds_left === null) return `${share}. A running server does the rest in the background.`
  const minutes = Math.max(1, Math.round(seconds_left / 60))
  return `${share}. The rest takes about ${counted(minutes, 'minute')} while a server runs.`
}
