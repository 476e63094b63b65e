/** Where the items of a JSON file are. */
export type JsonShape = { kind: 'lists'; paths: string[][] } | { kind: 'lines' } | { kind: 'object' }

const MOST_LEVELS = 3
/** An object with more plain values than this beside its lists is itself the item. */
const MOST_PLAIN_VALUES = 4

/** Texts, with the colon that makes them keys, brackets, and other values; a text that is cut off ends with the file. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"(\s*:)?|\\?$)|[{}[\]]|[^\s{}[\],:"]+/g

/** Looks at the beginning of a file; null when it is no JSON at all. */
export function jsonShapeOf(text: string, whole: boolean): JsonShape | null {
  const start = text.search(/\S/)
  const first = text[start]
  if (first === '[') return { kind: 'lists', paths: [[]] }
  if (first !== '{') return null
  if (isLines(text.slice(start), whole)) return { kind: 'lines' }
  const { lists, plainValues } = listsIn(text)
  if (lists.length > 0 && (plainValues <= MOST_PLAIN_VALUES || !whole)) return { kind: 'lists', paths: lists }
  return { kind: 'object' }
}

/** An object on each line; one alone is a file with one object. */
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

/** The lists of objects that lie in objects, not in other lists, by the keys that lead to them. */
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
      if (inLists === 0) key = keyOf(written.replace(/\s*:$/, ''))
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
