import { LETTER, pdfOf } from '../made-documents.ts'
import { basic, type MadeExport, millis, stamp, upTo, words } from './made-export.ts'

export const NOTES: MadeExport[] = [
  {
    format: 'markdown',
    of: items => ({
      ...Object.fromEntries(upTo(items, i => [`${i}.md`, `# ${words(i)}\n![[p.png]]\n`])),
      'broken.md': Buffer.alloc(3),
      'p.png': 'PNG',
    }),
    rejected: 1,
  },
  {
    format: 'google-keep',
    of: items =>
      Object.fromEntries(
        upTo(items, i => [
          `Takeout/Keep/${i}.json`,
          {
            isTrashed: false,
            isPinned: false,
            isArchived: false,
            color: 'DEFAULT',
            title: words(i),
            textContent: words(i),
            createdTimestampUsec: millis(i) * 1000,
            userEditedTimestampUsec: millis(i) * 1000,
          },
        ]),
      ),
  },
  {
    format: 'enex',
    of: items => ({
      'Kitchen.enex': `<?xml version="1.0" encoding="UTF-8"?>\n<en-export>${upTo(
        items,
        i =>
          `<note><title>${words(i)}</title><content><![CDATA[<en-note>${words(i)}</en-note>]]></content>` +
          `<created>${basic(i)}</created></note>\n`,
      ).join('')}</en-export>`,
    }),
  },
  {
    format: 'apple-notes',
    of: items => ({
      // Notes are created by hand, so no two have the same second.
      'iCloud Notes/Notes Details.csv': `Title,Created On,Modified On,Pinned,Deleted\n${upTo(items, i => {
        const [year = '', month, day] = stamp(2 * i)
          .slice(0, 10)
          .split('-')
        const at = `${month}-${day}-${year} ${stamp(2 * i).slice(11)}`
        return `Note ${i},${at},${at},No,No\n`
      }).join('')}`,
      ...Object.fromEntries(upTo(items, i => [`iCloud Notes/Notes/Note ${i}/Note ${i}.txt`, words(i)])),
    }),
  },
  {
    format: 'roam',
    of: items => ({
      'graph.json': upTo(items, i => ({
        title: `Page ${i}`,
        uid: `p${i}`,
        'edit-time': millis(i),
        children: [{ string: words(i), uid: `b${i}` }],
      })),
    }),
  },
  {
    format: 'logseq',
    of: items => ({
      'graph.json': {
        version: 1,
        blocks: upTo(items, i => ({
          id: `p${i}`,
          'page-name': `page ${i}`,
          properties: null,
          children: [{ id: `b${i}`, content: words(i), children: [] }],
        })),
      },
    }),
  },
  {
    format: 'documents',
    of: items => ({
      ...Object.fromEntries(upTo(items, i => [`${i}.txt`, words(i)])),
      'broken.pdf': '%PDF-1.7',
      'letter.docx': LETTER,
      'plan.pdf': pdfOf(['one', 'two']),
    }),
    records: items => items + 2,
    rejected: 1,
  },
]
