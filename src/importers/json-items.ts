import { define, type JsonObject, parseJson } from '../model/json.ts'
import { CUT_OFF, MOST_ITEM_BYTES, NO_LIST, type Problem, TOO_LARGE } from './events.ts'
import { utf8Of } from './utf8.ts'

/** A larger member of the object around the list is skipped. */
const MOST_MEMBER_BYTES = 64 * 1024

/** In a path: every object of a list. */
export const EACH = Symbol('each')

interface JsonItem {
  /** Its index in the list, from 0. */
  index: number
  /** The item as JSON text; null if there is a `problem`. */
  text: string | null
  problem: Problem | null
  /** Members of the object around the list that come before the list and are small. */
  around: JsonObject
  /** Bytes of the file up to the end of the item, for progress. */
  end: number
}

/**
 * The items of a list in a JSON file, each as its own text: the list at the root, or the one at a path of keys. With
 * EACH in the path these are the items of several lists, and each list counts its items from 0. Only
 * brackets and quotes are read, so an invalid item does not affect the others, a file of any size needs no more memory
 * than its largest item, and each item can be parsed by the engine's own parser.
 */
export async function* jsonItems(
  chunks: AsyncIterable<Uint8Array>,
  path: readonly (string | symbol)[] = [],
): AsyncGenerator<JsonItem> {
  const splitter = new Splitter(path)
  for await (const chunk of utf8Of(chunks)) yield* splitter.push(chunk)
  yield* splitter.end()
}

/** The small members of the object in a file, before or after any list. */
export async function jsonMembers(chunks: AsyncIterable<Uint8Array>): Promise<JsonObject> {
  const splitter = new Splitter([NO_MEMBER])
  for await (const chunk of utf8Of(chunks)) for (const _ of splitter.push(chunk));
  return splitter.around
}

const NO_MEMBER = Symbol('no member')
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

class Splitter {
  readonly #path: readonly (string | symbol)[]
  /** How many containers on the path to the list are open; inside the list, one more than the length of the path. */
  #level = 0
  #seenList = false
  #key: string | null = null
  #index = 0
  #before = 0
  /** The role of the open value; null between values. */
  #value: 'item' | 'key' | 'member' | 'passed' | null = null
  #kind: 'string' | 'container' | 'plain' = 'plain'
  #depth = 0
  #inString = false
  #escaped = false
  #parts: Uint8Array[] = []
  #held = 0
  around: JsonObject = {}

  constructor(path: readonly (string | symbol)[]) {
    this.#path = path
  }

  *push(chunk: Uint8Array): Generator<JsonItem> {
    let at = 0
    while (at < chunk.length) {
      if (this.#value !== null) {
        const end = this.#endOfValue(chunk, at)
        this.#hold(chunk.subarray(at, end < 0 ? chunk.length : end))
        if (end < 0) break
        at = end
        yield* this.#finish(at)
        continue
      }
      at = this.#between(chunk, at)
    }
    this.#before += chunk.length
  }

  *end(): Generator<JsonItem> {
    const open = this.#value
    if (open === 'item' && this.#kind === 'plain' && this.#level === 0) yield* this.#finish(0)
    else if (open === 'item' || this.#level > 0) yield this.#item(null, CUT_OFF, 0)
    else if (!this.#seenList) yield this.#item(null, NO_LIST, 0)
  }

  #between(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] as number
    if (byte <= 0x20 || byte === COMMA || byte === COLON) return at + 1
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (this.#level > 0) this.#level--
      this.#key = null
      return at + 1
    }
    const inList = this.#level > this.#path.length
    if (inList) return this.#begin('item', byte, at)
    const next = this.#path[this.#level]
    const opener = next === undefined || next === EACH ? OPEN_LIST : OPEN_OBJECT
    if (this.#level === 0) {
      if (byte === opener && !this.#seenList) return this.#enter(at)
      return this.#begin('passed', byte, at)
    }
    const wanted = this.#path[this.#level - 1]
    if (wanted === EACH) return byte === opener ? this.#enter(at) : this.#begin('passed', byte, at)
    if (this.#key === null) return this.#begin(byte === QUOTE ? 'key' : 'passed', byte, at)
    if (this.#key === wanted && byte === opener) return this.#enter(at)
    return this.#begin(this.#level === this.#path.length ? 'member' : 'passed', byte, at)
  }

  #enter(at: number): number {
    this.#key = null
    if (this.#level === this.#path.length) {
      this.#seenList = true
      this.#index = 0
    } else if (this.#level === this.#path.length - 1) this.around = {}
    this.#level++
    return at + 1
  }

  #begin(value: 'item' | 'key' | 'member' | 'passed', byte: number, at: number): number {
    this.#value = value
    this.#kind =
      byte === QUOTE ? 'string' : byte === OPEN_LIST || byte === OPEN_OBJECT ? 'container' : 'plain'
    this.#depth = 0
    this.#inString = false
    this.#escaped = false
    return at
  }

  /** Where the open value ends in the chunk, or -1 if it continues in the next. */
  #endOfValue(chunk: Uint8Array, from: number): number {
    let depth = this.#depth
    let inString = this.#inString
    let escaped = this.#escaped
    const plain = this.#kind === 'plain'
    let end = -1
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (inString) {
        if (escaped) escaped = false
        else if (byte === BACKSLASH) escaped = true
        else if (byte === QUOTE) {
          inString = false
          if (depth === 0) {
            end = at + 1
            break
          }
        }
      } else if (plain) {
        if (byte <= 0x20 || byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
          end = at
          break
        }
      } else if (byte === QUOTE) inString = true
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth--
        if (depth <= 0) {
          end = at + 1
          break
        }
      }
    }
    this.#depth = depth
    this.#inString = inString
    this.#escaped = escaped
    return end
  }

  #hold(bytes: Uint8Array): void {
    if (this.#value === 'passed') return
    this.#held += bytes.length
    if (this.#held <= this.#mostBytes()) this.#parts.push(bytes)
    else this.#parts = []
  }

  #mostBytes(): number {
    return this.#value === 'member' ? MOST_MEMBER_BYTES : MOST_ITEM_BYTES
  }

  *#finish(at: number): Generator<JsonItem> {
    const text = this.#held <= this.#mostBytes() ? Buffer.concat(this.#parts).toString('utf8') : null
    const value = this.#value
    this.#value = null
    this.#parts = []
    this.#held = 0
    if (value === 'item') yield this.#item(text, text === null ? TOO_LARGE : null, at)
    if (value === 'member' && text !== null && this.#key !== null) this.#note(this.#key, text)
    // After a skipped value, the next text is a key again.
    this.#key = value === 'key' ? keyOf(text) : null
  }

  #note(key: string, text: string): void {
    try {
      define(this.around, key, parseJson(text))
    } catch {
      // An invalid member is ignored.
    }
  }

  #item(text: string | null, problem: Problem | null, at: number): JsonItem {
    return { index: this.#index++, text, problem, around: this.around, end: this.#before + at }
  }
}

function keyOf(text: string | null): string {
  try {
    return String(JSON.parse(text ?? '""'))
  } catch {
    return ''
  }
}
