import { type JsonObject, objectsIn } from '../../model/json.ts'
import { record } from '../events.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { type FileItem, findingOf } from '../reading/exported-files.ts'
import { cellsOf } from '../reading/html-cells.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { instantIn, textIn, textsIn } from '../reading/json-values.ts'
import { repeatedIds } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { timesOfWallClock, timesOfWallClockIn } from '../times.ts'
import { halfIn } from '../whatsapp/stamp.ts'
import { parseWrittenTime } from '../written-time.ts'
import { GOOGLE_ACTIVITY } from './declaration.ts'

export const recognise: Recognise = async (files, { timeZone }) => {
  const pages = files.filter(({ path }) => /\.html?$/i.test(path))
  const read = [...files.filter(file => !pages.includes(file)), ...pages]
  const itemsOf = (file: SourceFile) => (pages.includes(file) ? pageItems(file, timeZone) : listItems(file))
  return findingOf(GOOGLE_ACTIVITY, read, 500, () => itemsOf)
}

function listItems(file: SourceFile): AsyncGenerator<FileItem> {
  const record = recorder()
  return objectItems(listedObjects(file, 'item'), (value, { place }) => [record(activityIn(value), place)])
}

async function* pageItems(file: SourceFile, timeZone: string | undefined): AsyncGenerator<FileItem> {
  const record = recorder()
  for await (const { activity, asUtc, index, end } of activityCells(file, timeZone)) {
    const event = record(activity, `${file.path}, item ${index + 1}`, asUtc)
    yield { events: () => [event], end }
  }
}

function activityIn(item: JsonObject): Activity {
  const answers = objectsIn(item.safeHtmlItem).flatMap(({ html }) => textIn(html) ?? [])
  const subtitles = objectsIn(item.subtitles)
  return {
    product: textIn(item.header) ?? textsIn(item.products)[0] ?? 'Google',
    title: textIn(item.title),
    text: textIn(answers.map(textOfHtml).join('\n\n')),
    occurred_at: instantIn(item.time),
    url: textIn(item.titleUrl),
    details: [...subtitles, ...objectsIn(item.details)].flatMap(({ name }) => textIn(name) ?? []),
    links: subtitles.flatMap(({ url }) => textIn(url) ?? []),
  }
}

/** These exports have no ids, so an item is identified by its content, time and product. */
function recorder() {
  const idOf = repeatedIds('google activity')
  return (activity: Activity, place: string, time = activity.occurred_at): ImportEvent => {
    const { id } = idOf(activity.product, time ?? '', activity.title ?? '', activity.url ?? '')
    return record('google_activity', place, { id, ...activity })
  }
}

interface Activity extends JsonObject {
  product: string
  title: string | null
  text: string | null
  occurred_at: string | null
  url: string | null
  details: string[]
  links: string[]
}

const CELL = '<div class="outer-cell'

/** What a page lists, and its time as it would be in UTC, which is the same in every zone of the owner. */
interface ListedActivity {
  activity: Activity
  asUtc: string | null
}

async function* activityCells(
  file: SourceFile,
  timeZone: string | undefined,
): AsyncGenerator<ListedActivity & { index: number; end: number }> {
  for await (const { html, index, end } of cellsOf(file, CELL))
    yield { ...activityOf(html, timeZone), index, end }
}

function activityOf(cell: string, timeZone: string | undefined): ListedActivity {
  const header =
    /<p class="mdl-typography--title">((?:(?!<p class="mdl-)[\s\S])*?)<\/p>/.exec(cell)?.[1] ?? ''
  const content =
    /<div class="content-cell[^"]*body-1">((?:(?!<div class="content-cell)[\s\S])*?)<\/div>/.exec(
      cell,
    )?.[1] ?? ''
  const lines = textOfHtml(content.replaceAll('&nbsp;', ' ')).split('\n')
  const at = lines.findIndex(line => pageTime(line) !== null)
  const [title, ...details] = (at < 0 ? lines : lines.slice(0, at)).filter(line => line !== '')
  const hrefs = [...content.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  const time = lines[at] ?? ''
  const activity = {
    product: textOfHtml(header).trim() || 'Google',
    // The address after a link has its own field.
    title: title?.replace(/ <https?:[^<>]*>/g, '') ?? null,
    text:
      at < 0
        ? null
        : lines
            .slice(at + 1)
            .join('\n')
            .trim() || null,
    occurred_at: pageTime(time, timeZone)?.utc ?? null,
    url: hrefs[0] ?? null,
    details,
    links: hrefs.slice(1),
  }
  return { activity, asUtc: pageTime(time)?.utc ?? null }
}

const CLOCK = /(?<![\p{Nd}.:])(\d{1,2})(?:[:.]|\sh\s)(\d{2})(?:[:.]|\smin\s)(\d{2})(?!\d)/u
const YEAR = /(?<!\d)(?:19|20)\d{2}(?!\d)/
const OFFSET = /(?:GMT|UTC)\s?([+-])(\d{1,2})(?::?(\d{2}))?/
const ZONE = /\s[A-Z]{2,5}$/
const UTC = /\s(?:UTC|GMT)$/
const MOST_CHARS = 80
const LANGUAGES =
  'en de fr es it pt pt-PT nl sv da nb fi pl cs sk sl hr sr ro hu bg ru uk el tr he ar fa hi bn ta te mr gu kn ml th vi id ms fil et lv lt is ca eu gl af sw ka hy az kk uz'

/**
 * The time in a line of a page, in the language of the account; null if the line is not a time. Without an offset, or
 * with the abbreviation of another zone than UTC, it is a time of `timeZone`.
 */
export function pageTime(line: string, timeZone = 'UTC'): { utc: string | null } | null {
  const plain = line.replace(/\s+/g, ' ').trim()
  const clock = plain.length > MOST_CHARS ? null : CLOCK.exec(plain)
  if (!clock || !YEAR.test(plain)) return null
  return { utc: inEnglish(plain, timeZone) ?? inAnyLanguage(plain, clock, timeZone) }
}

/** `Jan 31, 2018, 10:54:50 PM`, with or without a zone. */
function inEnglish(plain: string, timeZone: string): string | null {
  const line = plain.replace(/GMT(?=[+-])/, '')
  const written =
    parseWrittenTime(line, null, timeZone) ?? parseWrittenTime(line.replace(ZONE, ''), null, timeZone)
  return written?.precision === 'time' ? written.utc : null
}

/** `30. März 2024, 18:05:09 MEZ`, `2024年3月30日 18:05:09 JST` */
function inAnyLanguage(
  plain: string,
  [clock = '', hours = '', minutes = '', seconds = '']: RegExpExecArray,
  timeZone: string,
) {
  const [, sign, offsetHours = '0', offsetMinutes = '0'] = OFFSET.exec(plain) ?? []
  const day = dayIn(plain.replace(OFFSET, '').replace(clock, ' '))
  if (day === null) return null
  const [before = '', after = ''] = plain.split(clock)
  const half = halfIn(`${/\P{Nd}*$/u.exec(before)?.[0]} ${after.replace(ZONE, '')}`)
  const isHalf = half !== null && Number(hours) <= 12
  const hour = isHalf ? (Number(hours) % 12) + (half === 'pm' ? 12 : 0) : Number(hours)
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const wall = { ...day, hour, minute: Number(minutes), second: Number(seconds) }
  const isInZone = sign === undefined && !UTC.test(plain)
  return (isInZone ? timesOfWallClockIn(wall, timeZone) : timesOfWallClock(wall, offset))?.utc ?? null
}

/** A date with the name of a month, or with three numbers that begin or end with the year. */
function dayIn(text: string): { year: number; month: number; day: number } | null {
  const numbers = (text.match(/\d+/g) ?? []).map(Number)
  const words = withoutDots(text).match(WORD) ?? []
  const names = [...words, ...words.map(word => word.replace(HEBREW_IN, ''))]
  const month = names.map(name => months().get(name)).find(found => found !== undefined)
  if (month !== undefined && numbers.length === 2) {
    const [day = 0, year = 0] = numbers.toSorted((a, b) => a - b)
    return { year, month, day }
  }
  const [a = 0, b = 0, c = 0] = numbers
  if (numbers.length !== 3) return null
  return a > 31 ? { year: a, month: b, day: c } : { year: c, month: b, day: a }
}

/** `ธ.ค.` is one word, and `de gen.` two. */
const WORD = /[\p{L}\p{M}]+/gu
/** Hebrew writes "in" as a prefix of the month. */
const HEBREW_IN = /^ב/
const withoutDots = (text: string) => text.toLowerCase().replace(/(?<=[\p{L}\p{M}])\./gu, '')

let known: Map<string, number> | null = null

/** Month numbers by name. A name that means different months in two languages is left out. */
function months(): Map<string, number> {
  if (known) return known
  const found = new Map<string, number>()
  const ambiguous = new Set<string>()
  for (const language of LANGUAGES.split(' ')) {
    for (const month of ['short', 'long'] as const) {
      const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, {
        day: 'numeric',
        month,
        timeZone: 'UTC',
      })
      for (let number = 1; number <= 12; number++) {
        const parts = format.formatToParts(Date.UTC(2024, number - 1, 15))
        const name =
          withoutDots(parts.find(({ type }) => type === 'month')?.value ?? '')
            .match(WORD)
            ?.at(-1) ?? ''
        if ((found.get(name) ?? number) !== number) ambiguous.add(name)
        found.set(name, number)
      }
    }
  }
  for (const name of ambiguous) found.delete(name)
  known = found
  return found
}
