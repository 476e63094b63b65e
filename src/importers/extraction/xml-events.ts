import { StringDecoder } from 'node:string_decoder'
import { Parser } from 'htmlparser2'
import { broken, Unreadable } from './extracted.ts'

/** Names come without their prefix first; `qualified` has it. */
export interface XmlHandler {
  open?(name: string, attributes: Record<string, string>, qualified: string): void
  text?(text: string): void
  close?(name: string, qualified: string): void
  /** Elements that are passed over with everything in them. */
  skipped?: ReadonlySet<string>
}

const MOST_DEPTH = 1_000

/**
 * Reads a part of a document from start to end. Office documents never define entities, so a part that does is
 * treated as hostile. Nothing outside the part is ever read.
 */
export async function readXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  let depth = 0
  let skipping = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MOST_DEPTH) {
          throw new Unreadable('unsafe_document', `The document is nested deeper than ${MOST_DEPTH} levels.`)
        }
        const local = localName(name)
        if (skipping > 0 || handler.skipped?.has(local)) skipping++
        else handler.open?.(local, attributes, name)
      },
      ontext(text) {
        if (skipping === 0) handler.text?.(text)
      },
      onclosetag(name) {
        depth--
        if (skipping > 0) skipping--
        else handler.close?.(localName(name), name)
      },
      onprocessinginstruction(_, data) {
        assertNoEntities(data)
      },
    },
    { xmlMode: true },
  )
  let decoder: Pick<StringDecoder, 'write' | 'end'> | null = null
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    decoder ??= new StringDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8')
    parser.write(decoder.write(bytes))
  }
  // The parser closes open elements at the end, so a truncated part would look complete.
  if (depth > 0) throw broken('a part of it is cut off')
  parser.end()
}

/** `<!DOCTYPE … [ <!ENTITY …`, as in a "billion laughs" attack or a reference to a local file. */
export function assertNoEntities(text: string): void {
  if (!/<!ENTITY|^!DOCTYPE[^>]*\[/i.test(text)) return
  throw new Unreadable('unsafe_document', 'The document defines entities, which no office program writes.')
}

/** The name without its prefix. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** An attribute by its name, with or without a prefix. */
export function attribute(attributes: Record<string, string>, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name]
  const key = Object.keys(attributes).find(each => localName(each) === name)
  return key === undefined ? undefined : attributes[key]
}
