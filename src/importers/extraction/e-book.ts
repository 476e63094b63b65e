import { percentDecoded } from '../../model/percent-decoded.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { type DocumentZip, folderOf, propertiesOf, resolved } from './document-zip.ts'
import { broken, type Extracted, Unreadable } from './extracted.ts'
import { PageText } from './page-text.ts'
import { assertNoEntities } from './xml-events.ts'

const MOST_CHAPTER_BYTES = 32 * 1024 * 1024
/** Obfuscated fonts do not mean that a book is protected. */
const SCRAMBLED_FONT = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/

/** An e-book (EPUB). Its files are chapters, in reading order. */
export async function readEBook(zip: DocumentZip): Promise<Extracted> {
  await assertOpen(zip)
  let root: string | undefined
  await zip.xml('META-INF/container.xml', {
    open(name, attributes) {
      if (name === 'rootfile') root ??= attributes['full-path']
    },
  })
  if (root === undefined || !zip.has(root)) throw broken('it does not list its files')
  const folder = folderOf(root)
  const files = new Map<string, string>()
  const chapters: string[] = []
  await zip.xml(root, {
    open(name, attributes) {
      const { id, href, idref } = attributes
      const isPage = /xhtml|html/.test(attributes['media-type'] ?? '')
      if (name === 'item' && id !== undefined && href !== undefined && isPage)
        files.set(id, resolved(folder, percentDecoded(href.replace(/#.*/, ''))))
      if (name === 'itemref' && idref !== undefined) chapters.push(idref)
    },
  })
  const text = new PageText('chapter')
  for (const id of chapters) {
    const path = files.get(id)
    if (path === undefined || !zip.has(path)) continue
    const page = await zip.text(path, MOST_CHAPTER_BYTES)
    assertNoEntities(page.slice(0, 10_000))
    text.begin(nameOf(page))
    text.add(textOfHtml(page))
  }
  return { kind: 'e-book', ...text.end(), ...(await propertiesOf(zip, root)) }
}

function nameOf(page: string): string | null {
  const heading =
    /<h[1-3]\b[^<>]*>([\s\S]{0,1000}?)<\/h[1-3]>/i.exec(page)?.[1] ??
    /<title\b[^<>]*>([\s\S]{0,1000}?)<\/title>/i.exec(page)?.[1]
  return heading === undefined ? null : textOfHtml(heading).replace(/\s+/g, ' ').slice(0, 200) || null
}

async function assertOpen(zip: DocumentZip): Promise<void> {
  await zip.xml('META-INF/encryption.xml', {
    open(name, { Algorithm = '' }) {
      if (name !== 'EncryptionMethod' || SCRAMBLED_FONT.test(Algorithm)) return
      throw new Unreadable(
        'encrypted_document',
        'The e-book is protected against copying, so its text cannot be read.',
      )
    },
  })
}
