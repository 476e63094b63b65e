import type { RequestContext } from '../request/context.ts'
import type { Reply } from '../request/responses.ts'

const CHUNK_CHARS = 64 * 1024

/** Everything of the owner as lines of JSON, streamed. */
export async function exportEverything({ store, request }: RequestContext): Promise<Reply> {
  const headers = {
    'Content-Type': 'application/x-ndjson',
    'Cache-Control': 'private, no-store',
    'Content-Disposition': 'attachment; filename="footnote.ndjson"',
  }
  const body = request.method === 'HEAD' ? null : ReadableStream.from(inChunks(store.exported()))
  return { status: 200, headers, body }
}

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
