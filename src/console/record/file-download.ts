import { readBlob } from '../../api/blobs.ts'
import { refusalIn } from '../../api/route.ts'
import type { Visit } from '../visit.ts'

/** A file of a record. It is downloaded, never opened as a page of this origin. */
export async function sendFile({ path, query, fetch }: Visit): Promise<Response> {
  const response = await fetch(readBlob, { blob_id: path.blob_id ?? '' })
  if (!response.ok) throw refusalIn(await response.json())
  const headers = new Headers(response.headers)
  const name =
    query
      .get('name')
      ?.replace(/[\p{C}/\\]/gu, '_')
      .slice(0, 200) || 'file'
  const encoded = encodeURIComponent(name).replace(/['()*]/g, char => `%${char.charCodeAt(0).toString(16)}`)
  headers.set('Content-Disposition', `attachment; filename*=UTF-8''${encoded}`)
  headers.set('Cross-Origin-Resource-Policy', 'same-origin')
  return new Response(response.body, { status: response.status, headers })
}
