import { CodedError } from '../../model/errors.ts'

const MOST_BYTES = 1024 * 1024

/** The fields of a form of at most 1 MiB. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new CodedError('unsupported_media_type', 'Content-Type must be application/x-www-form-urlencoded.')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MOST_BYTES) throw new CodedError('body_too_large', 'The form is larger than 1 MiB.')
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
