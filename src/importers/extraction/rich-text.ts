import iconv from 'iconv-lite'
import { broken, type Extracted, Unreadable } from './extracted.ts'
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
  return new RichText(bytes).read()
}

class RichText {
  readonly #bytes: Buffer
  #at = 0
  readonly #text = new PageText('page')
  #title = ''
  readonly #outer: Group[] = []
  #group: Group = { isSkipped: false, isHidden: false, instead: 1, font: 0, destination: '' }
  /** The code pages of fonts that have their own. */
  readonly #fonts = new Map<number, number>()
  #codePage = 1252
  /** Bytes that are not decoded yet. */
  #pending: number[] = []
  /** How many fallback characters are still left out. */
  #toSkip = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  read(): Extracted {
    this.#text.begin()
    let isOpen = true
    while (isOpen && this.#at < this.#bytes.length) {
      const sign = this.#bytes[this.#at++]
      if (sign === 0x7b) this.#openGroup()
      else if (sign === 0x7d) isOpen = this.#closeGroup()
      else if (sign === 0x5c) this.#control()
      else if (sign !== 0x0a && sign !== 0x0d && sign !== undefined) this.#byte(sign)
    }
    this.#flush()
    if (this.#outer.length > 0) throw broken('it ends in the middle')
    const title = this.#title.trim() || null
    return { kind: 'rich text', ...this.#text.end(), title, author: null, created_at: null }
  }

  #openGroup(): void {
    this.#flush()
    this.#toSkip = 0
    if (this.#outer.length >= MOST_DEPTH) {
      const message = `The document is nested deeper than ${MOST_DEPTH} levels.`
      throw new Unreadable('unsafe_document', message)
    }
    this.#outer.push(this.#group)
    this.#group = { ...this.#group }
  }

  /** Whether the document continues after the group. */
  #closeGroup(): boolean {
    this.#flush()
    this.#toSkip = 0
    this.#group = this.#outer.pop() ?? this.#group
    return this.#outer.length > 0
  }

  /** What follows a backslash. */
  #control(): void {
    const next = this.#bytes[this.#at]
    if (next === undefined) return
    if (next === 0x27) {
      const hex = this.#bytes.toString('latin1', this.#at + 1, this.#at + 3)
      this.#byte(Number.parseInt(hex, 16) || 0x3f)
      this.#at += 3
    } else if (isLetter(next)) {
      const ahead = this.#bytes.toString('latin1', this.#at, this.#at + 48)
      const [whole = '', name = '', digits] = /^([a-zA-Z]{1,32})(-?\d{1,10})? ?/.exec(ahead) ?? []
      this.#at += Math.max(1, whole.length)
      this.#word(name, digits === undefined ? null : Number(digits))
    } else {
      this.#at++
      this.#symbol(next)
    }
  }

  #symbol(sign: number): void {
    if (sign === 0x2a) this.#group.isSkipped = true
    else if (sign === 0x7e) {
      this.#flush()
      this.#write('\u00a0')
    } else if (sign === 0x5f) this.#byte(0x2d)
    else if (sign === 0x0a || sign === 0x0d) this.#word('par', null)
    else if (sign === 0x5c || sign === 0x7b || sign === 0x7d) this.#byte(sign)
  }

  #word(name: string, value: number | null): void {
    if (name === 'bin') {
      this.#at += Math.max(0, value ?? 0)
      return
    }
    this.#flush()
    if (name === 'u' && value !== null) {
      this.#write(String.fromCharCode(value & 0xffff))
      this.#toSkip = this.#group.instead
      return
    }
    this.#toSkip = 0
    const group = this.#group
    if (name === 'uc') group.instead = Math.min(100, Math.max(0, value ?? 1))
    else if (name === 'ansicpg' && value !== null) this.#codePage = value
    else if (name === 'mac') this.#codePage = 10000
    else if (name === 'f' && value !== null) group.font = value
    else if (name === 'fcharset' && value !== null) {
      const page = CHARSETS[value]
      if (page !== undefined && value !== 0) this.#fonts.set(group.font, page)
    } else if (name === 'v') group.isHidden = value !== 0
    else if (name === 'page') {
      if (!group.isSkipped) this.#text.begin()
    } else if (name === 'title' && group.isSkipped) group.destination = 'title'
    else if (SKIPPED.has(name)) group.isSkipped = true
    else if (Object.hasOwn(SIGNS, name)) this.#write(SIGNS[name] ?? '')
  }

  #byte(value: number): void {
    if (this.#toSkip > 0) this.#toSkip--
    else this.#pending.push(value)
    if (this.#pending.length > MOST_PENDING && value < 0x80) this.#flush()
  }

  #flush(): void {
    if (this.#pending.length === 0) return
    const page = this.#fonts.get(this.#group.font) ?? this.#codePage
    const name = iconv.encodingExists(`cp${page}`) ? `cp${page}` : 'cp1252'
    const decoded = iconv.decode(Buffer.from(this.#pending), page === 10000 ? 'macroman' : name)
    this.#pending = []
    this.#write(decoded)
  }

  #write(part: string): void {
    if (this.#group.destination === 'title') this.#title = (this.#title + part).slice(0, 1_000)
    else if (!this.#group.isSkipped && !this.#group.isHidden) this.#text.add(part)
  }
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
}
