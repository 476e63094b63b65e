import { onOneEngine, PROVING } from './engines.ts'
import type { MadeExport } from './exports/made-export.ts'
import { MADE_EXPORTS, writeExport } from './exports/made-exports.ts'
import { record } from './figures.ts'
import { assertResumes } from './resumed-import.ts'

const ITEMS = 1_060
/**
 * A batch has 500 records, so the first one is stored by then; all that were read may be, if they are read slowly. A second
 * run is killed soon after it has resumed.
 */
const KILLS = PROVING ? [1_020, 20] : [1_020]
const FEW = ['whatsapp']

function nameOf({ format, layout }: MadeExport): string {
  return [format, layout].filter(Boolean).join(', ')
}

for (const made of MADE_EXPORTS.filter(({ format }) => PROVING || FEW.includes(format))) {
  onOneEngine(`an import that is killed ends as if it had not been killed: ${nameOf(made)}`, async engine => {
    const { records } = await assertResumes(engine, KILLS, folder => writeExport(folder, made, ITEMS))
    const counts = { kills: KILLS.length, records, 'lost or doubled': 0 }
    record(`import of ${nameOf(made)} killed`, engine, counts)
  })
}
