/** Where a command writes; tests pass their own. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  input(): AsyncIterable<Uint8Array>
  /** Whether a person is looking at the output. */
  isTerminal: boolean
  columns: number
  /** How a person types the command, up to and including its name. */
  command: string
}

export const PROCESS_TERMINAL: Omit<Terminal, 'command'> = {
  out: text => process.stdout.write(text),
  err: text => process.stderr.write(text),
  input: () => process.stdin,
  isTerminal: process.stdout.isTTY === true,
  columns: process.stdout.columns ?? 100,
}

const CODES = { bold: 1, dim: 2, green: 32, red: 31, yellow: 33, match: '1;33' } as const

export type Paint = Record<keyof typeof CODES, (text: string) => string>

/** Colours, or plain text. */
export function paintFor(colours: boolean): Paint {
  const entries = Object.entries(CODES).map(([name, code]) => [
    name,
    (text: string) => (colours && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text),
  ])
  return Object.fromEntries(entries) as Paint
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this keeps out
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/g

/** Record text comes from others: nothing in it may control the terminal. Line breaks and tabs are kept. */
export function inert(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, '\u00b7')
}

/** Text in one line: runs of white space become a space. */
export function oneLine(text: string): string {
  return inert(text.replace(/\s+/g, ' '))
}

/** At most this many characters, with a mark where it was cut. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text
  const points = Array.from(text)
  return points.length <= characters ? text : `${points.slice(0, Math.max(0, characters - 1)).join('')}…`
}
