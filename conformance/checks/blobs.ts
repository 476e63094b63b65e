import { type Check, check, expect, expectEqual, notSeen } from '../check.ts'
import { type Loose, type Target, UNKNOWN } from '../target.ts'
import { expectError } from './answers.ts'

/** Every object with a blob_id in what the token can read. */
async function blobsOf(target: Target): Promise<Loose[]> {
  const found: Loose[] = []
  const look = (value: Loose): void => {
    if (typeof value !== 'object' || value === null) return
    if (typeof value.blob_id === 'string') found.push(value)
    for (const child of Object.values(value)) look(child)
  }
  for (const { name } of await target.streams()) {
    for (const { data } of await target.records(name)) look(data)
  }
  return found.length > 0 ? found : notSeen('No record that the token opens has a blob.')
}

export const BLOBS: readonly Check[] = [
  check('PC-82', 'an unknown blob is 404 blob_not_found', async target => {
    expectError(await target.get(`/v1/blobs/${UNKNOWN}`), 404, 'blob_not_found', 'An unknown blob')
  }),
  check('PC-82', 'a blob has its headers, and HEAD answers the same', async target => {
    const [{ blob_id }] = await blobsOf(target)
    for (const method of ['GET', 'HEAD']) {
      const path = `/v1/blobs/${encodeURIComponent(blob_id)}`
      const { status, headers, text } = await target.get(path, { method })
      if (status === 302) notSeen('The server redirects to another place.')
      expectEqual(status, 200, `The status of ${method} ${path}`)
      const control = headers.get('Cache-Control') ?? ''
      expect(/private/.test(control) && /no-store/.test(control), `Cache-Control is "${control}"`)
      expect(/^[\w.+-]+\/[\w.+-]+/.test(headers.get('Content-Type') ?? ''), 'Content-Type is missing')
      if (method === 'HEAD') expectEqual(text, '', 'The body of HEAD')
    }
    const { status } = await target.request(`/v1/blobs/${encodeURIComponent(blob_id)}`, null)
    expectEqual(status, 401, 'The status without a token')
  }),
  check('PC-83', 'fetch_url leads to the server itself', async target => {
    const { resource = target.url } = await target.resource()
    for (const { blob_id, fetch_url } of await blobsOf(target)) {
      expect(typeof fetch_url === 'string', `${blob_id} has no fetch_url`)
      expect(URL.canParse(fetch_url), `fetch_url ${fetch_url} is not absolute`)
      expectEqual(new URL(fetch_url).origin, new URL(resource).origin, 'The origin of fetch_url')
    }
  }),
  check('PC-97', 'the mime_type of a blob reference is a media type', async target => {
    for (const { blob_id, mime_type } of await blobsOf(target)) {
      expect(/^[\w.+-]+\/[\w.+-]+/.test(mime_type ?? ''), `mime_type of ${blob_id} is ${mime_type}`)
    }
  }),
]
