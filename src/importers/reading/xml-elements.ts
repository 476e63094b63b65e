import { Parser } from 'htmlparser2'
import { CUT_OFF, type Problem, rejection, TOO_LARGE } from '../events.ts'
import type { SourceFile } from '../source/source.ts'
import { utf8Of } from '../utf8.ts'
import type { FileItem } from './exported-files.ts'

/** An element with everything in it. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
}

const MOST_CHARS = 64 * 1024 * 1024
const MOST_DEPTH = 50

/**
 * The elements with these names as items of a file, one at a time; a file of any size needs no more memory than its
 * largest element. Entities are never expanded, and nothing outside the file is read. `eventsOf` is called for every
 * element, so it may count them.
 */
export async function* elementItems(
  file: SourceFile,
  names: ReadonlySet<string>,
  what: string,
  eventsOf: (element: XmlElement, place: string) => ReturnType<FileItem['events']>,
): AsyncGenerator<FileItem> {
  const ready: (XmlElement | Problem)[] = []
  const open: XmlElement[] = []
  let texts: string[][] = []
  let chars = 0
  let skipped = 0
  let count = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length === 0) {
          if (!names.has(name)) return
          chars = 0
          texts = []
        } else if (open.length >= MOST_DEPTH) {
          skipped++
          return
        }
        const element: XmlElement = { name, attributes, children: [], text: '' }
        for (const value of Object.values(attributes)) chars += value.length
        chars += name.length
        if (chars <= MOST_CHARS) open.at(-1)?.children.push(element)
        open.push(element)
        texts.push([])
      },
      ontext(text) {
        chars += text.length
        if (open.length > 0 && chars <= MOST_CHARS) texts.at(-1)?.push(text)
      },
      onclosetag(name) {
        const element = open.at(-1)
        if (!element) return
        if (skipped > 0) {
          skipped--
          return
        }
        if (element.name !== name) return
        open.pop()
        element.text = texts.pop()?.join('') ?? ''
        if (open.length > 0) return
        ready.push(chars <= MOST_CHARS ? element : TOO_LARGE)
      },
    },
    { xmlMode: true },
  )
  const decoder = new TextDecoder()
  let end = 0
  const itemOf = (element: XmlElement | Problem): FileItem => {
    const place = `${file.path}, ${what} ${++count}`
    const events = 'code' in element ? [rejection(place, element)] : eventsOf(element, place)
    return { events: () => events, end }
  }
  for await (const chunk of utf8Of(file.open())) {
    parser.write(decoder.decode(chunk, { stream: true }))
    end += chunk.length
    for (const element of ready.splice(0)) yield itemOf(element)
  }
  // The parser closes open elements at the end, so a truncated element would look complete.
  if (open.length > 0) {
    yield itemOf(CUT_OFF)
    return
  }
  parser.end()
  for (const element of ready) yield itemOf(element)
}

/** The text of the first child with this name. */
export function childText(element: XmlElement, name: string): string | null {
  return element.children.find(child => child.name === name)?.text.trim() || null
}
