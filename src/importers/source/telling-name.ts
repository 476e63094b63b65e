import { basename } from 'node:path'
import type { Finding } from '../importer.ts'
import type { Source } from './source.ts'

/** Days and times, as programs write them into the names of their exports. */
const TIMES = /\d{4}([-_.]?)\d{2}\1\d{2}(?:[T_ -]?\d{2}[-_.:]?\d{2}(?:[-_.:]?\d{2})?Z?)?(?!\d)/g
/** The number that a browser adds to the name of a second download. */
const COPY = /(?<!\s)\s*\(\d{1,3}\)$/
/** `slack-` of `slack-acme`: the kind is named before it anyway. */
const PREFIX = /^([^\s_-]+)[_-](?=.)/
const WORDS = /[^\s_\-–,()[\]\0]+/g
const OF_EXPORTS = wordSet('archive backup chatexport download dump export exported takeout')
const SAYS_NOTHING = wordSet(
  `all and archives backups batch chat chats conversation conversations copy csv data db default desktop documents
  downloads exports file files folder full history in index json message messages my new of old out output package part
  records result results rows share shared source table temp the tmp untitled upload uploads user your`,
)

/**
 * The part of a file's name that tells it apart and is likely to be in the name of the next export too: without times,
 * checksums and words of exports at its ends. Null if nothing remains that says more than `kind`.
 */
export function tellingName(name: string, kind: string): string | null {
  const original = name
    .replace(COPY, '')
    .replace(PREFIX, (written, word: string) => (word.toLowerCase() === kind.toLowerCase() ? '' : written))
  const timeless = original.replace(TIMES, time => '\0'.repeat(time.length))
  const words = [...timeless.matchAll(WORDS)].filter(([word]) => !isOfExports(word))
  const known = wordSet(kind)
  const isTelling = words.some(([word]) => {
    const plain = word.toLowerCase()
    return !/^\d+$/.test(plain) && !SAYS_NOTHING.has(plain) && !known.has(plain)
  })
  const [first] = words
  const last = words.at(-1)
  return isTelling && first && last ? original.slice(first.index, last.index + last[0].length) : null
}

function isOfExports(word: string): boolean {
  const isChecksum = /^[0-9a-f]{8,}$/i.test(word) && /\d/.test(word)
  return isChecksum || OF_EXPORTS.has(word.toLowerCase())
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.toLowerCase().match(WORDS))
}

const MOST_CHARS = 200

/**
 * The name of a new connection if the owner gives none: the kind of its records, and what tells it apart from others
 * of that kind. It should be the same for the next export of the same account. What is not whole gets more files: the
 * only file does not name it.
 */
export function defaultName(source: Source, { name, files, declaration }: Finding, isWhole = true): string {
  const kind = declaration.display.name
  const given = source.kind === 'file' ? withoutEnding(source.name) : source.name
  const inside = sharedPath(files, isWhole).reverse()
  const telling = [given, ...inside].map(part => tellingName(part, kind)).find(part => part !== null)
  const own = name ?? telling ?? null
  return [...(own === null ? kind : `${kind}: ${own}`)].slice(0, MOST_CHARS).join('')
}

/** The folders that contain all of the files, and the only file of what is whole. */
function sharedPath(files: Finding['files'], isWhole: boolean): string[] {
  const [first = '', ...others] = files.map(({ path }) => path)
  const folders = first.split('/')
  const file = folders.pop() ?? ''
  if (others.length === 0) return isWhole ? [...folders, withoutEnding(file)] : folders
  const differs = folders.findIndex(
    (_, index) => !others.every(path => path.startsWith(`${folders.slice(0, index + 1).join('/')}/`)),
  )
  return differs === -1 ? folders : folders.slice(0, differs)
}

function withoutEnding(name: string): string {
  return name.includes('@') ? name : name.replace(/(?<=.)\.[a-z][a-z0-9]{1,7}$/i, '')
}

/** How providers name the archives of one export. The part before the number is the same for all of them. */
const PARTS = [
  /^(takeout-\d{8}T\d{6}Z)(?:-\d{1,4})+\.(?:zip|tgz)$/i,
  /^((?:facebook|instagram)-.+-(?:\d{4}-\d{2}-\d{2}|\d{2}_\d{2}_\d{4}))-\w+\.zip$/i,
  /^(.+) Part \d{1,4} of \d{1,4}\.zip$/i,
  /^(.+)-Part-\d{1,4}\.zip$/i,
]

/** The name of the export that an archive belongs to; null if its name does not say. */
export function exportOf(path: string): string | null {
  return PARTS.map(part => part.exec(basename(path))?.[1]).find(name => name !== undefined) ?? null
}

/** `mail.zip.001`, `mail.z01`, `mail.part1.rar`. */
export function isPartOfArchive(path: string): boolean {
  return /\.(zip|7z|rar|tar|tgz|gz)\.\d{3}$|\.z\d{2}$|\.part\d+\.rar$/i.test(path)
}

/** The page that every Google Takeout has at its top. */
export function isTakeoutIndex(path: string): boolean {
  return /^(?:Takeout[^/]*\/)?archive_browser\.html$/.test(path)
}
