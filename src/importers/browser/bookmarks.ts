import type { FileItem } from '../reading/file-items.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { epochIn } from '../reading/json-values.ts'
import { linesOf } from '../reading/text-lines.ts'
import { recordIdOf } from '../record-id.ts'
import { repeatCounter } from '../repeats.ts'
import type { SourceFile } from '../source/source.ts'
import { pageRecord } from './page-record.ts'

/** A bookmark is identified by its folder and address; all browsers write one to a line. */
export async function* bookmarkItems(file: SourceFile): AsyncGenerator<FileItem> {
  const folders: string[] = []
  let next = ''
  const repeats = repeatCounter()
  for await (const { text, number, end } of linesOf(file.open())) {
    const line = text ?? ''
    const heading = /<H3\b[^>]*>(.*?)<\/H3>/i.exec(line)?.[1]
    if (heading !== undefined) next = textOfHtml(heading)
    const link = /<A\b([^>]*)>(.*?)<\/A>/i.exec(line)
    if (link) {
      const attribute = (name: string) =>
        new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(link[1] ?? '')?.[1]?.replaceAll('&amp;', '&') ?? null
      const url = attribute('HREF')
      const folder = folders.filter(name => name !== '').join('/')
      const repeat = repeats(`${folder}\n${url}`)
      const event = pageRecord('bookmarks', {
        id: recordIdOf('bookmark', folder, url ?? '', ...(repeat > 0 ? [String(repeat)] : [])),
        title: textOfHtml(link[2] ?? '') || null,
        url,
        folder: folder || null,
        tags: (attribute('TAGS') ?? '')
          .split(',')
          .map(tag => tag.trim())
          .filter(tag => tag !== ''),
        occurred_at: epochIn(attribute('ADD_DATE') ?? undefined, 'seconds'),
        place: `${file.path}, line ${number}`,
      })
      yield { events: () => [event], end }
    }
    for (const [tag] of line.matchAll(/<\/?DL\b/gi)) {
      if (tag.startsWith('</')) folders.pop()
      else {
        folders.push(next)
        next = ''
      }
    }
  }
}
