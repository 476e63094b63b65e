import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Cursors } from '../../../src/model/reading/cursor.ts'
import { type Fuzzer, NOTHING_TO_STOP } from './fuzzer.ts'
import { parsed } from './ids.ts'
import { mutated } from './mutation.ts'

const NOW = new Date('2026-06-01T00:00:00Z')
const DIGEST = `sha256:${'ab'.repeat(32)}`

interface Attempt {
  cursor: string
  binding: string
}

/** Cursors: only a cursor that was sealed for a read opens for it. */
export const cursors: Fuzzer<Attempt> = {
  name: 'cursors',
  async start() {
    const sealing = new Cursors(Buffer.alloc(32, 3), 86_400)
    const window = { direction: 'forward', position: 12_345, limit: 400, digest: DIGEST } as const
    const sealed = [
      sealing.sealWindow(window, 'here', NOW),
      sealing.sealPage(['a', 1], 'here', NOW).cursor,
      sealing.sealPage({ after: 'x'.repeat(200) }, 'here', NOW).cursor,
    ]
    return {
      ...NOTHING_TO_STOP,
      input: fc.record({
        cursor: fc.oneof(mutated(sealed), mutated(sealed, 1), fc.base64String({ maxLength: 90 })),
        binding: fc.constantFrom('here', 'elsewhere', ''),
      }),
      async check({ cursor, binding }) {
        const opened = [
          parsed(() => sealing.openWindow(cursor, binding, DIGEST, NOW, {})),
          parsed(() => sealing.openPage(cursor, binding, NOW)),
          parsed(() => sealing.openMark(cursor, binding, NOW, 86_400)),
        ].filter(state => state !== undefined)
        if (opened.length === 0) return
        // The last character of a cursor may contain unused bits.
        const same = sealed.some(each =>
          Buffer.from(each, 'base64url').equals(Buffer.from(cursor, 'base64url')),
        )
        assert.ok(same && binding === 'here', `${cursor} opened for "${binding}"`)
      },
    }
  },
}
