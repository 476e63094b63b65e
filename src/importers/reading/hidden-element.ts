export type Attributes = Map<string, string>

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))

export function hasEnd(name: string): boolean {
  return !VOID.has(name)
}

/** Whether an element says that a browser should not show it. Style sheets are not read. */
export function isHidden(attributes: Attributes): boolean {
  if (attributes.has('hidden')) return true
  let [display, visibility] = ['', '']
  for (const declaration of (attributes.get('style') ?? '').toLowerCase().split(';')) {
    const [name, value = ''] = declaration.split(':', 2).map(part => part.trim())
    if (name === 'display') display = value
    if (name === 'visibility') visibility = value
  }
  return display.startsWith('none') || visibility.startsWith('hidden')
}

/** An element that is not shown, up to its end, or that of an element around it if its own is missing. */
export class HiddenElement {
  readonly #name: string
  readonly #inside = new Map<string, number>()

  constructor(name: string) {
    this.#name = name
  }

  /** False if the new element ends this one: paragraphs are often not closed, and are never inside each other. */
  open(name: string): boolean {
    if (name === 'p' && this.#name === 'p') return false
    if (hasEnd(name)) this.#inside.set(name, (this.#inside.get(name) ?? 0) + 1)
    return true
  }

  close(name: string): { isOver: boolean; endsIt: boolean } {
    const inside = this.#inside.get(name) ?? 0
    if (inside > 0) this.#inside.set(name, inside - 1)
    return { isOver: inside === 0, endsIt: name === this.#name }
  }
}
