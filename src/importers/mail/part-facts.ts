import { decodeWords, type Headers, type Parametrized, parseParametrized } from './headers.ts'

/** What the headers of a part say about its bytes. */
export interface PartFacts {
  type: string
  charset: string | undefined
  boundary: string | undefined
  encoding: string
  name: string | null
  content_id: string | null
  attached: boolean
}

export function factsOf(headers: Headers, fallback: string): PartFacts {
  const type = parametrized(headers, 'content-type')
  const disposition = parametrized(headers, 'content-disposition')
  const valid = /^[\w.+-]+\/[\w.+-]+$/.test(type.value)
  const name = disposition.parameters.get('filename') || type.parameters.get('name') || null
  return {
    type: valid ? type.value : type.value === 'text' ? 'text/plain' : fallback,
    charset: type.parameters.get('charset'),
    boundary: type.parameters.get('boundary'),
    encoding: headers.plain('content-transfer-encoding') ?? '',
    name: name && cleanName(name),
    content_id: headers.plain('content-id')?.replace(/^<|>$/g, '') || null,
    attached: disposition.value === 'attachment',
  }
}

function parametrized(headers: Headers, name: string): Parametrized {
  return parseParametrized(headers.plain(name) ?? '')
}

/** The file name without folders and control characters. */
function cleanName(name: string): string | null {
  const last = decodeWords(name)
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .split(/[/\\]/)
    .at(-1)
  return last?.trim().slice(0, 255) || null
}
