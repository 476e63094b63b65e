const OFFICE_ENDING =
  /\.(doc[xm]|dot[xm]|xls[xm]|xlsb|xlt[xm]|ppt[xm]|pps[xm]|pot[xm]|od[tspg]|ot[tsp]|epub)$/i
const OFFICE_TYPE = /officedocument|opendocument|epub\+zip|ms-(word|excel|powerpoint)/

/**
 * Whether a file is a document whose text can be extracted, judged by its first bytes. These do not always show what
 * kind of zip it is; then the name or the media type decides.
 */
export function isDocumentHead(head: Uint8Array, name: string, mime_type = ''): boolean {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 4_096)).toString('latin1')
  if (start.startsWith('{\\rtf') || start.slice(0, 1_024).includes('%PDF-')) return true
  if (!start.startsWith('PK\x03\x04')) return false
  return (
    OFFICE_ENDING.test(name) ||
    OFFICE_TYPE.test(mime_type) ||
    start.includes('[Content_Types].xml') ||
    /^.{26,40}mimetypeapplication\/(vnd\.oasis\.opendocument|epub\+zip)/s.test(start)
  )
}

/** Whether a zip with these files is a single document, not an archive. */
export function isDocumentPackage(paths: Iterable<string>): boolean {
  const parts = new Set(paths)
  return [
    'word/document.xml',
    'xl/workbook.xml',
    'xl/workbook.bin',
    'ppt/presentation.xml',
    'META-INF/container.xml',
    'META-INF/manifest.xml',
  ].some(part => parts.has(part))
}
