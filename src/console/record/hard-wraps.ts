import { html } from 'hono/html'
import type { Html } from '../../pages/layout.ts'
import { withLinks } from '../../pages/web-links.ts'

/** Shorter lines end where their author wanted. */
const LEAST_CHARS = 55
/** Programs that wrap lines cut them before this width. */
const WIDTH = 66
const LINE = /^((?:> ?)*)(.*)$/
/** Items of lists, headings, rows of tables, signatures and anything indented begin a line of their own. */
const OWN_LINE = /^(?:\s|[-*+•|#=_~]|\d{1,3}[.)]\s|$)/
const ALIGNED = /\t| {3}/

/** A line break that a program made inside a paragraph, with the marks of the quote that follow it. */
interface Wrap {
  at: number
  /** Where the text of the next line begins. */
  end: number
}

/** Where a text was wrapped: on a narrow screen these breaks are shown as spaces. */
export function hardWraps(text: string): Wrap[] {
  const wraps: Wrap[] = []
  let at = 0
  const lines = text.split('\n').map(line => line.replace(/\r$/, ''))
  for (const [index, line] of text.split('\n').entries()) {
    at += line.length
    const next = LINE.exec(lines[index + 1] ?? '')
    const own = LINE.exec(lines[index] ?? '')
    if (next && own && isWrapped(own, next)) wraps.push({ at, end: at + 1 + (next[1] ?? '').length })
    at++
  }
  return wraps
}

/** Whether a line ends only because the first word of the next one did not fit. */
function isWrapped(
  [line, quote = '', said = '']: RegExpExecArray,
  [, nextQuote, next = '']: RegExpExecArray,
): boolean {
  const [word = ''] = next.split(' ', 1)
  return (
    quote === nextQuote &&
    line.length >= LEAST_CHARS &&
    line.length + 1 + word.length > WIDTH &&
    !OWN_LINE.test(next) &&
    !/^\s/.test(said) &&
    !ALIGNED.test(said) &&
    !ALIGNED.test(next)
  )
}

/**
 * Parts of a text, one after the other, in which the style sheet can join wrapped lines. No character is changed. Web
 * addresses become links if there is one part: two could have a part of an address each.
 */
export function unwrapped(parts: readonly string[]): Html[] {
  const shown = parts.length === 1 ? withLinks : (text: string) => text
  const wraps = hardWraps(parts.join(''))
  let start = 0
  return parts.map(part => {
    const from = start
    start += part.length
    return pieces(part, from, wraps, shown)
  })
}

function pieces(
  part: string,
  from: number,
  wraps: readonly Wrap[],
  told: (text: string) => Html | string,
): Html {
  const shown: (Html | string)[] = []
  let done = 0
  const take = (end: number) => {
    const stop = Math.min(Math.max(end - from, done), part.length)
    const taken = part.slice(done, stop)
    done = stop
    return taken
  }
  for (const { at, end } of wraps) {
    shown.push(told(take(at)))
    const line = take(at + 1)
    if (line !== '') shown.push(html`<span class="wrap">${line}</span>`)
    const quote = take(end)
    if (quote !== '') shown.push(html`<span class="again">${quote}</span>`)
  }
  shown.push(told(part.slice(done)))
  return html`${shown}`
}
