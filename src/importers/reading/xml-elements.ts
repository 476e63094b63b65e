import { Parser } from 'htmlparser2'
import { problemOf } from '../json-items.ts'
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

interface FoundElement {
  /** Null if the element is too large, or if the file ends inside it. */
  element: XmlElement | null
  problem: 'too_large' | 'cut_off' | null
  index: number
  end: number
}

const MOST_CHARS = 64 * 1024 * 1024
const MOST_DEPTH = 50

/**
 * The elements with these names, one at a time; a file of any size needs no more memory than its largest element.
 * Entities are never expanded, and nothing outside the file is read.
 */
async function* xmlElements(file: SourceFile, names: ReadonlySet<string>): AsyncGenerator<FoundElement> {
  const ready: Omit<FoundElement, 'end'>[] = []
  const open: XmlElement[] = []
  let texts: string[][] = []
  let chars = 0
  let skipped = 0
  let index = 0
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
        const isWhole = chars <= MOST_CHARS
        ready.push({
          element: isWhole ? element : null,
          problem: isWhole ? null : 'too_large',
          index: index++,
        })
      },
    },
    { xmlMode: true },
  )
  const decoder = new TextDecoder()
  let end = 0
  for await (const chunk of utf8Of(file.open())) {
    parser.write(decoder.decode(chunk, { stream: true }))
    end += chunk.length
    for (const found of ready.splice(0)) yield { ...found, end }
  }
  // The parser closes open elements at the end, so a truncated element would look complete.
  if (open.length > 0) {
    yield { element: null, problem: 'cut_off', index, end }
    return
  }
  parser.end()
  for (const found of ready) yield { ...found, end }
}

/** The same as items of a file; `eventsOf` is called for every element, so it may count them. */
export async function* elementItems(
  file: SourceFile,
  names: ReadonlySet<string>,
  what: string,
  eventsOf: (element: XmlElement, place: string) => ReturnType<FileItem['events']>,
): AsyncGenerator<FileItem> {
  for await (const { element, problem, index, end } of xmlElements(file, names)) {
    const place = `${file.path}, ${what} ${index + 1}`
    const events = element
      ? eventsOf(element, place)
      : [{ kind: 'rejection' as const, place, ...problemOf(problem ?? 'cut_off') }]
    yield { events: () => events, end }
  }
}

/** The text of the first child with this name. */
export function childText(element: XmlElement, name: string): string | null {
  return element.children.find(child => child.name === name)?.text.trim() || null
}
