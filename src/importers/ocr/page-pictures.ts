import { type getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import { mayHoldText, type Picture, pictureOf, type RawPicture, turned } from './picture.ts'

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>

/** How long to wait for a picture, because PDF.js may never deliver it. */
const LOST_MS = 30_000

/** The pictures on a page of a PDF, rotated like the page. */
export async function* picturesOn(page: Page): AsyncGenerator<Picture> {
  const { OPS } = await getResolvedPDFJS()
  const painting: number[] = [OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject]
  const { fnArray, argsArray } = await page.getOperatorList()
  for (const [index, operator] of fnArray.entries()) {
    if (!painting.includes(operator)) continue
    const [named] = argsArray[index] as [unknown]
    const raw = await rawPicture(page, named)
    const picture = raw && mayHoldText(raw) ? pictureOf(raw) : null
    if (picture) yield turned(picture, page.rotate)
  }
}

/** An inline picture is passed directly; the data of a mask may be stored separately. */
async function rawPicture(page: Page, named: unknown): Promise<RawPicture | null> {
  const found = typeof named === 'string' ? await keptUnder(page, named) : named
  const { width, height, data } = (found ?? {}) as Partial<RawPicture> & { data?: unknown }
  const bytes = typeof data === 'string' ? ((await keptUnder(page, data)) as RawPicture | null)?.data : data
  if (!width || !height || !(bytes instanceof Uint8Array || bytes instanceof Uint8ClampedArray)) return null
  return { width, height, data: bytes }
}

function keptUnder(page: Page, name: string): Promise<unknown> {
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs
  return new Promise(resolve => {
    const lost = setTimeout(resolve, LOST_MS, null)
    objects.get(name, (found: unknown) => {
      clearTimeout(lost)
      resolve(found)
    })
  })
}
