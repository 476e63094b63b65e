import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importInChild } from '../../test/import-child.ts'
import { importFloor } from './import-floor.ts'
import { writeLarge } from './large-files.ts'
import { LARGE_FORMATS, type LargeFormat } from './large-formats.ts'
import type { Proof } from './proof.ts'

const MEGABYTE = 1024 * 1024
const MOST_MEGABYTES = 300

/**
 * Imports a large file of each format that streams, and shows how much memory that takes. The records per second are
 * compared with what plain SQLite stores, and with reading alone.
 */
export const largeImports: Proof = {
  name: 'large-imports',
  prove: ({ quick, megabytes, only }) =>
    proveLargeImports(
      megabytes ?? (quick ? 32 : 1_024),
      LARGE_FORMATS.filter(large => nameOf(large).includes(only)),
    ),
}

async function proveLargeImports(megabytes: number, formats: readonly LargeFormat[]): Promise<boolean> {
  process.stdout.write(`\nImports of ${megabytes} MB, each in a process of its own:\n`)
  process.stdout.write('format                 records  records/s  floor/s   read/s  seconds  peak MB\n')
  let held = true
  for (const large of formats) {
    const folder = await mkdtemp(join(tmpdir(), 'footnote-large-'))
    try {
      const expected = await writeLarge(join(folder, 'export'), large, megabytes * MEGABYTE)
      const path = join(folder, 'export', large.zip ?? '')
      const floor = await importFloor(path, join(folder, 'floor.sqlite'))
      const began = performance.now()
      const { json, peakMegabytes } = await importInChild(path, ['--data-dir', join(folder, 'data')])
      const seconds = (performance.now() - began) / 1000
      const isRight =
        json.added === expected && json.format === large.format && peakMegabytes < MOST_MEGABYTES
      held &&= isRight
      const cells = [
        nameOf(large).padEnd(20),
        whole(json.added).padStart(10),
        whole(json.added / seconds).padStart(10),
        whole(floor.stored).padStart(8),
        whole(floor.read).padStart(8),
        seconds.toFixed(1).padStart(8),
        Math.round(peakMegabytes).toString().padStart(8),
        isRight ? '' : `  expected ${expected} records within ${MOST_MEGABYTES} MB`,
      ]
      process.stdout.write(`${cells.join(' ').trimEnd()}\n`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return held
}

function nameOf({ format, layout }: LargeFormat): string {
  return layout === undefined ? format : `${format}, ${layout}`
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}
