import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CodedError } from '../../../src/model/errors.ts'
import { MADE_EXPORTS } from '../../../test/exports/made-exports.ts'
import { eventsOf, findingOf, sourceOf } from '../../../test/imported.ts'
import { type Fuzzer, NOTHING_TO_STOP } from './fuzzer.ts'
import { nasty } from './mutation.ts'

const ITEMS = 4
const MOST_MS = 20_000

interface Damage {
  /** Which file of which export. */
  made: number
  file: number
  changes: { at: number; kind: 'insert' | 'remove' | 'cut' | 'flip'; bytes: string }[]
}

/** Exports with damaged bytes: an importer rejects items or the source, and always ends. */
export const importers: Fuzzer<Damage> = {
  name: 'importers',
  async start() {
    const exports = MADE_EXPORTS.map(made =>
      Object.entries(made.of(ITEMS)).map(([path, content]): [string, Buffer] => [
        path,
        typeof content === 'string' || content instanceof Uint8Array
          ? Buffer.from(content as Uint8Array)
          : Buffer.from(JSON.stringify(content)),
      ]),
    )
    const bytes = fc.oneof(
      nasty.map(text => Buffer.from(text).toString('base64')),
      fc.uint8Array({ maxLength: 30 }).map(each => Buffer.from(each).toString('base64')),
    )
    const at = fc.double({ min: 0, max: 1, noNaN: true })
    const kind = fc.constantFrom('insert' as const, 'remove' as const, 'cut' as const, 'flip' as const)
    return {
      ...NOTHING_TO_STOP,
      input: fc.record({
        made: fc.nat(exports.length - 1),
        file: fc.nat(20),
        changes: fc.array(fc.record({ at, kind, bytes }), { minLength: 1, maxLength: 5 }),
      }),
      async check({ made, file, changes }) {
        const files = exports[made] ?? []
        const hit = file % files.length
        const source = sourceOf(
          Object.fromEntries(
            files.map(([path, content], n) => [path, n === hit ? changes.reduce(damaged, content) : content]),
          ),
        )
        const since = performance.now()
        try {
          if (await findingOf(source)) await eventsOf(source)
        } catch (error) {
          if (!(error instanceof CodedError)) throw error
        }
        const ms = performance.now() - since
        assert.ok(ms < MOST_MS, `${MADE_EXPORTS[made]?.format} took ${ms} ms`)
      },
    }
  },
}

function damaged(content: Buffer, { at, kind, bytes }: Damage['changes'][number]): Buffer {
  const place = Math.floor(at * content.length)
  const more = Buffer.from(bytes, 'base64')
  const [before, after] = [content.subarray(0, place), content.subarray(place)]
  if (kind === 'insert') return Buffer.concat([before, more, after])
  if (kind === 'cut') return before
  if (kind === 'remove') return Buffer.concat([before, after.subarray(1 + more.length)])
  return Buffer.concat([before, after.map((byte, n) => (n < more.length ? byte ^ (more[n] ?? 0) : byte))])
}
