import type { FileItem } from '../reading/exported-files.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { epochIn } from '../reading/json-values.ts'
import { linesOf } from '../reading/text-lines.ts'
import type { SourceFile } from '../source/source.ts'
import { bookmarkRecords } from './page-record.ts'

/** All browsers write one bookmark per line. */
export async function* bookmarkItems(file: SourceFile): AsyncGenerator<FileItem> {
  const folders: string[] = []
  let next = ''
  const recordOf = bookmarkRecords()
  for await (const { text, number, end } of linesOf(file.open())) {
    const line = text ?? ''
    const heading = /^<H3\b[^>]*>(.*?)<\/H3>/i.exec(from(line, /<H3\b/i))?.[1]
    if (heading !== undefined) next = textOfHtml(heading)
    const link = /^<A\b([^>]*)>(.*?)<\/A>/i.exec(from(line, /<A\b/i))
    if (link) {
      const attribute = (name: string) =>
        new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(link[1] ?? '')?.[1]?.replaceAll('&amp;', '&') ?? null
      const event = recordOf({
        title: textOfHtml(link[2] ?? '') || null,
        url: attribute('HREF'),
        folder: folders.filter(name => name !== '').join('/'),
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

/** The rest of a line from its first such tag. If that one is not closed, no later one is, so they need not be tried. */
function from(line: string, tag: RegExp): string {
  const start = line.search(tag)
  return start === -1 ? '' : line.slice(start)
}
