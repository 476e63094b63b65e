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
import { GOOGLE_ACTIVITY } from './declaration.ts'
import { pageTime } from './page-time.ts'

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
