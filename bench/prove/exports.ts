import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IMPORTERS } from '../../src/importers/importers.ts'
import { recognise } from '../../src/importers/recognition.ts'
import { openSource } from '../../src/importers/source/open.ts'
import { importInChild } from '../../test/import-child.ts'
import { countedItems } from './counted-items.ts'
import type { Proof } from './proof.ts'

const HEAD = [
  'set',
  'format',
  'seen',
  'counted',
  'added',
  'unchanged',
  'rejected',
  'again',
  'seconds',
  'peak MB',
]

/** Imports every format of every folder in a folder of exports, twice, and counts the items by other means. */
export const exports: Proof = {
  name: 'exports',
  async prove({ data }) {
    if (data === null) throw new Error('The exports are needed: npm run prove -- exports --data DIR')
    process.stdout.write(`${HEAD.join('\t')}\n`)
    let held = true
    for (const set of (await readdir(data)).sort()) {
      for (const { format, files } of await formatsIn(join(data, set))) {
        held = (await importedTwice(set, join(data, set), format, files)) && held
      }
    }
    return held
  },
}

async function formatsIn(path: string): Promise<{ format: string; files: number | null }[]> {
  await using source = await openSource(path)
  const { found } = await recognise(source, IMPORTERS)
  const formats: { format: string; files: number | null }[] = []
  for (const { importer, finding } of found) {
    formats.push({ format: importer.format, files: await countedItems(importer.format, finding.files) })
  }
  return formats
}

/** A second import must add and change nothing. */
async function importedTwice(
  set: string,
  path: string,
  format: string,
  counted: number | null,
): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'footnote-exports-'))
  try {
    const flags = ['--as', format, '--data-dir', folder]
    const began = performance.now()
    const { json, peakMegabytes } = await importInChild(path, flags)
    const seconds = (performance.now() - began) / 1000
    const again = (await importInChild(path, flags)).json
    const codes = Map.groupBy(json.rejections as { code: string }[], ({ code }) => code)
    const rejected = [json.rejected, ...[...codes].map(([code, all]) => `${all.length} ${code}`)].join(', ')
    const changed = again.added + again.updated
    const cells = [set, format, json.seen, counted ?? '–', json.added, json.unchanged, rejected, changed]
    process.stdout.write(`${[...cells, seconds.toFixed(1), Math.round(peakMegabytes)].join('\t')}\n`)
    return changed === 0
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
