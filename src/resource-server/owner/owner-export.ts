import * as api from '../../api/owner-ledger.ts'
import { serve } from '../request/serve.ts'

const CHUNK_CHARS = 64 * 1024

/** Streamed, so that its size does not matter. */
export const exportEverything = serve(api.exportEverything, async ({ store, request }) => {
  const headers = {
    'Content-Type': 'application/x-ndjson',
    'Cache-Control': 'private, no-store',
    'Content-Disposition': 'attachment; filename="footnote.ndjson"',
  }
  const body = request.method === 'HEAD' ? null : ReadableStream.from(inChunks(store.exported()))
  return { status: 200, headers, body }
})

async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let held: string[] = []
  let chars = 0
  for await (const text of texts) {
    held.push(text)
    chars += text.length
    if (chars < CHUNK_CHARS) continue
    yield Buffer.from(held.join(''))
    held = []
    chars = 0
  }
  if (chars > 0) yield Buffer.from(held.join(''))
}
