import iconv from 'iconv-lite'
import { broken, type Extracted, UNREADABLE, Unreadable } from './extracted.ts'
import { PageText } from './page-text.ts'

const MOST_DEPTH = 1_000
const MOST_PENDING = 64 * 1024
/** Groups that are not text. Any group that begins with `\*` is left out too. */
const SKIPPED = new Set(
  `fonttbl colortbl stylesheet info pict object objdata fldinst header headerl headerr headerf footer footerl footerr
   footerf listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping datastore latentstyles
   xmlnstbl filetbl nonshppict bkmkstart bkmkend`.split(/\s+/),
)
const SIGNS: Record<string, string> = {
  par: '\n\n',
  sect: '\n\n',
  line: '\n',
  tab: '\t',
  cell: '\t',
  nestcell: '\t',
  row: '\n',
  nestrow: '\n',
  emdash: '—',
  endash: '–',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
}
/** The code pages of the charsets of fonts. */
const CHARSETS: Record<number, number> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

interface Group {
  isSkipped: boolean
  isHidden: boolean
  /** How many fallback characters follow a `\u` character. */
  instead: number
  font: number
  destination: string
}

/** Rich text (RTF). Its pages begin at the author's page breaks. */
export function readRichText(bytes: Buffer): Extracted {
  const text = new PageText('page')
  text.begin()
  const fonts = new Map<number, number>()
  const stack: Group[] = []
  let group: Group = { isSkipped: false, isHidden: false, instead: 1, font: 0, destination: '' }
  let title = ''
  let codePage = 1252
  let pending: number[] = []
  let toSkip = 0
  const flush = () => {
    if (pending.length === 0) return
    const page = fonts.get(group.font) ?? codePage
    const name = iconv.encodingExists(`cp${page}`) ? `cp${page}` : 'cp1252'
    const decoded = iconv.decode(Buffer.from(pending), page === 10000 ? 'macroman' : name)
    pending = []
    write(decoded)
  }
  const write = (part: string) => {
    if (group.destination === 'title') title = (title + part).slice(0, 1_000)
    else if (!group.isSkipped && !group.isHidden) text.add(part)
  }
  const byte = (value: number) => {
    if (toSkip > 0) toSkip--
    else pending.push(value)
    if (pending.length > MOST_PENDING && value < 0x80) flush()
  }
  const word = (name: string, value: number | null) => {
    if (name === 'bin') {
      at += Math.max(0, value ?? 0)
      return
    }
    if (name === 'u' && value !== null) {
      flush()
      write(String.fromCharCode(value & 0xffff))
      toSkip = group.instead
      return
    }
    flush()
    toSkip = 0
    if (name === 'uc') group.instead = Math.min(100, Math.max(0, value ?? 1))
    else if (name === 'ansicpg' && value !== null) codePage = value
    else if (name === 'mac') codePage = 10000
    else if (name === 'f' && value !== null) group.font = value
    else if (name === 'fcharset' && value !== null) {
      const page = CHARSETS[value]
      if (page !== undefined && value !== 0) fonts.set(group.font, page)
    } else if (name === 'v') group.isHidden = value !== 0
    else if (name === 'page') {
      if (!group.isSkipped) text.begin()
    } else if (name === 'title' && group.isSkipped) group.destination = 'title'
    else if (SKIPPED.has(name)) group.isSkipped = true
    else if (Object.hasOwn(SIGNS, name)) write(SIGNS[name] ?? '')
  }
  let at = 0
  while (at < bytes.length) {
    const sign = bytes[at++]
    if (sign === 0x7b) {
      flush()
      toSkip = 0
      if (stack.length >= MOST_DEPTH) {
        throw new Unreadable(
          UNREADABLE.unsafe.code,
          `The document is nested deeper than ${MOST_DEPTH} levels.`,
        )
      }
      stack.push(group)
      group = { ...group }
    } else if (sign === 0x7d) {
      flush()
      toSkip = 0
      const outer = stack.pop()
      if (!outer) break
      group = outer
      if (stack.length === 0) break
    } else if (sign === 0x5c) {
      const next = bytes[at]
      if (next === undefined) break
      if (next === 0x27) {
        byte(Number.parseInt(bytes.toString('latin1', at + 1, at + 3), 16) || 0x3f)
        at += 3
      } else if (isLetter(next)) {
        const [whole = '', name = '', digits] =
          /^([a-zA-Z]{1,32})(-?\d{1,10})? ?/.exec(bytes.toString('latin1', at, at + 48)) ?? []
        at += Math.max(1, whole.length)
        word(name, digits === undefined ? null : Number(digits))
      } else {
        at++
        if (next === 0x2a) group.isSkipped = true
        else if (next === 0x7e) {
          flush()
          write('\u00a0')
        } else if (next === 0x5f) byte(0x2d)
        else if (next === 0x0a || next === 0x0d) word('par', null)
        else if (next === 0x5c || next === 0x7b || next === 0x7d) byte(next)
      }
    } else if (sign !== 0x0a && sign !== 0x0d && sign !== undefined) byte(sign)
  }
  flush()
  if (stack.length > 0) throw broken('it ends in the middle')
  return { kind: 'rich text', ...text.end(), title: title.trim() || null, author: null, created_at: null }
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
}
