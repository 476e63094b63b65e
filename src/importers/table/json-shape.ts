/** Where the items of a JSON file are. */
type JsonShape =
  | { kind: 'lists'; paths: string[][] }
  | { kind: 'lines' }
  | { kind: 'object'; hasLists: boolean }

const MOST_LEVELS = 3
/** An object with more plain values than this, besides its lists, is itself the item. */
const MOST_PLAIN_VALUES = 4

/**
 * Matches strings (with the colon, if they are keys), brackets and other values. A truncated string ends with the
 * file.
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"(\s*:)?|\\?$)|[{}[\]]|[^\s{}[\],:"]+/g

/** Looks at the start of a file; null if it is not JSON. */
export function jsonShapeOf(text: string, whole: boolean): JsonShape | null {
  const start = text.search(/\S/)
  const first = text[start]
  if (first === '[') return { kind: 'lists', paths: [[]] }
  if (first !== '{') return null
  if (isLines(text.slice(start), whole)) return { kind: 'lines' }
  const { lists, plainValues } = listsIn(text)
  if (lists.length > 0 && (plainValues <= MOST_PLAIN_VALUES || !whole)) return { kind: 'lists', paths: lists }
  return { kind: 'object', hasLists: lists.length > 0 }
}

/** Whether each line is an object; a file with a single line is one object. */
function isLines(text: string, whole: boolean): boolean {
  const end = text.indexOf('\n')
  if (end < 0) return false
  const rest = text.slice(end).trim()
  return isJson(text.slice(0, end)) && (rest.startsWith('{') || (rest === '' && !whole))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The paths of lists of objects, except for lists inside other lists. */
function listsIn(text: string): { lists: string[][]; plainValues: number } {
  const lists: string[][] = []
  const keys: string[] = []
  let key = ''
  let plainValues = 0
  let inLists = 0
  const open: ('object' | 'list')[] = []
  for (const token of text.matchAll(TOKEN)) {
    const [written, colon] = token
    if (written === '[' || written === '{') {
      const isList = written === '['
      if (
        inLists === 0 &&
        isList &&
        keys.length < MOST_LEVELS &&
        /^\s*\{/.test(text.slice(token.index + 1, token.index + 200))
      ) {
        lists.push([...keys, key])
      }
      if (!isList && inLists === 0 && open.length > 0) keys.push(key)
      if (isList) inLists++
      open.push(isList ? 'list' : 'object')
    } else if (written === ']' || written === '}') {
      const closed = open.pop()
      if (closed === 'list') inLists--
      else if (inLists === 0) keys.pop()
    } else if (colon !== undefined) {
      if (inLists === 0) key = keyOf(written.slice(0, -colon.length))
    } else if (inLists === 0) plainValues++
  }
  return { lists, plainValues }
}

function keyOf(written: string): string {
  try {
    return String(JSON.parse(written))
  } catch {
    return written
  }
}
