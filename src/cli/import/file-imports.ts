import type { OwnServer } from '../own-server.ts'
import type { FileImports } from './import-upload.ts'
import { Uploads } from './uploads.ts'

/** Every importer. They are loaded when the first upload is looked at, because most servers never get one. */
const importers = () => import('./import-upload.ts')

/** Imports files that the owner uploads in the browser: each waits in its own folder until it is imported. */
export function fileImports(
  server: OwnServer,
  directory: string,
  report: (error: unknown, request_id: string) => void,
): FileImports {
  const uploads = new Uploads(directory)
  const importing = { server, uploads, report }
  return {
    receive: files => uploads.receive(files),
    preview: async upload_id => (await importers()).previewUpload(importing, upload_id),
    start: (upload_id, name) =>
      uploads.begin(upload_id, async () => (await importers()).importUpload(importing, upload_id, name)),
    drop: upload_id => uploads.drop(upload_id),
  }
}
