import type { RecordEvent } from '../../importers/importer.ts'
import { openSource } from '../../importers/source/open.ts'
import type { Source } from '../../importers/source/source.ts'
import { defaultName } from '../../importers/source/telling-name.ts'
import type { Declaration } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { inReadingOrder } from '../../model/reading/record.ts'
import type { Surroundings } from '../../origin/server.ts'
import type { OwnServer } from '../own-server.ts'
import { Forecast } from './dry-run.ts'
import { importInto } from './import-into.ts'
import { leftLines, partsOf, planOf } from './import-plan.ts'
import type { Uploads } from './uploads.ts'

const PREVIEW_MS = 10_000
const MOST_REJECTIONS = 100
const SAMPLE = 3

export type FileImports = ReturnType<NonNullable<Surroundings['imports']>>
type Preview = Awaited<ReturnType<FileImports['preview']>>

interface Importing {
  server: OwnServer
  uploads: Uploads
  report: (error: unknown, request_id: string) => void
}

/** What an upload contains, and what would be imported of it. */
export async function previewUpload({ server, uploads }: Importing, upload_id: string): Promise<Preview> {
  await using upload = await opened(uploads, upload_id, server)
  return await previewOf(upload)
}

/** A record as the preview shows it. */
function sampleOf({ streams }: Declaration, { stream, data }: RecordEvent): Preview['sample'][number] {
  const declared = streams.find(({ name }) => name === stream)
  return {
    stream,
    label: declared?.display?.label ?? null,
    data: declared ? inReadingOrder(declared, data) : data,
  }
}

/** Starts to import an upload. It is deleted when the import has ended. */
export async function importUpload(
  { server, uploads, report }: Importing,
  upload_id: string,
  name: string | null,
): ReturnType<FileImports['start']> {
  const upload = await opened(uploads, upload_id, server)
  const { source, filename } = upload
  const close = () => upload[Symbol.asyncDispose]()
  try {
    const plan = await planOf(source, undefined)
    const parts = partsOf(plan, source, false)
    const { promise, resolve, reject } = Promise.withResolvers<{
      import_id: string
      connection_id: string
    }>()
    const run = async () => {
      // The name that was suggested is not a choice: the account may have a connection of another name.
      const isChosen = parts.length === 1 && name !== defaultName(source, plan.finding)
      const target = { connection_id: null, name: isChosen ? name : null, from: filename }
      for (const part of parts)
        await importInto(server, source, part, target, { begun: resolve, progress() {} })
    }
    const done = run()
    done
      .catch(error => {
        reject(error)
        report(error, 'import')
      })
      .finally(async () => {
        await close()
        await uploads.end(upload_id)
      })
      .catch(error => report(error, 'import'))
    return { ...(await promise), parts: parts.length }
  } catch (error) {
    await close()
    throw error
  }
}

interface Upload extends AsyncDisposable {
  source: Source
  filename: string
}

async function opened(uploads: Uploads, upload_id: string, { timeZone }: OwnServer): Promise<Upload> {
  const { filename, path } = await uploads.find(upload_id)
  const source = { ...(await openSource(path)), timeZone: timeZone.name }
  return { source, filename, [Symbol.asyncDispose]: async () => source[Symbol.asyncDispose]() }
}

/** Reads as much as it can in a few seconds. */
async function previewOf({ source, filename }: Upload): Promise<Preview> {
  const plan = await planOf(source, undefined).catch((error: unknown) => {
    if (!(error instanceof CodedError)) throw error
    throw new CodedError(error.code, error.message.replaceAll(source.path, filename), error.details)
  })
  const parts = partsOf(plan, source, false)
  const forecast = new Forecast(plan.leftOut, MOST_REJECTIONS)
  const sample: Preview['sample'] = []
  const end = Date.now() + PREVIEW_MS
  let complete = true
  for (const { finding } of parts) {
    for await (const event of finding.read(null)) {
      forecast.take(event)
      if (event.kind === 'record' && sample.length < SAMPLE) sample.push(sampleOf(finding.declaration, event))
      complete = Date.now() < end
      if (!complete) break
    }
  }
  const { seen, added, rejected } = forecast.counts
  return {
    filename,
    formats: parts.map(({ importer, finding }) => ({
      label: importer.label,
      items: finding.items,
      exact: finding.exact,
    })),
    skipped: [
      ...(parts.length > 1 ? [] : plan.skipped.map(({ importer }) => importer.label)),
      ...leftLines(plan.left),
    ],
    name: defaultName(source, plan.finding),
    counts: { seen, added, rejected },
    complete,
    rejections: forecast.rejections,
    sample,
  }
}
