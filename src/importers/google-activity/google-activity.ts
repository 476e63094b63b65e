import type { JsonObject } from '../../model/json.ts'
import type { ImportEvent, Recognise } from '../importer.ts'
import { findingOf } from '../reading/exported-files.ts'
import type { FileItem } from '../reading/file-items.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { instantIn, objectsIn, textIn, textsIn } from '../reading/json-values.ts'
import { repeatedIds } from '../repeats.ts'
import type { SourceFile } from '../source/source.ts'
import { type Activity, activityCells } from './activity-page.ts'
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
    return { kind: 'record', stream: 'google_activity', key: id, data: { id, ...activity }, place }
  }
}
