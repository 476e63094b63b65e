import { basename, join } from 'node:path'
import type { RecordEvent } from '../../importers/importer.ts'
import type { Recognised } from '../../importers/recognition.ts'
import { openChosen, openSource } from '../../importers/source/open.ts'
import type { Source } from '../../importers/source/source.ts'
import { defaultName } from '../../importers/source/telling-name.ts'
import { counted } from '../../model/amounts.ts'
import type { Declaration } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { inReadingOrder } from '../../model/reading/record.ts'
import { someNames } from '../../model/some-names.ts'
import type { Surroundings } from '../../origin/server.ts'
import type { OwnServer } from '../own-server.ts'
import { Forecast } from './dry-run.ts'
import { importInto } from './import-into.ts'
import { leftLines, type Plan, partsOf, planOf } from './import-plan.ts'
import type { Uploads } from './uploads.ts'

const PREVIEW_MS = 10_000
const MOST_REJECTIONS = 100
const MOST_KINDS = 6
const MOST_NAMES = 3

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
  const close = () => upload[Symbol.asyncDispose]()
  try {
    const { parts } = await partsOfUpload(upload)
    const { promise, resolve, reject } = Promise.withResolvers<{ import_id: string; connection_id: string }>()
    const run = async () => {
      // The name that was suggested is not a choice: the account may have a connection of another name.
      const chosen = name === suggestedName(parts) ? null : name
      for (const { source, from, plan } of parts) {
        const target = { connection_id: null, name: chosen, from }
        await importInto(server, source, plan, target, { begun: resolve, progress() {} })
      }
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
  /** The names of what was chosen. */
  filename: string
  sources: readonly UploadedSource[]
}

interface UploadedSource {
  source: Source
  /** What the pages call it. */
  from: string
  /** Of files that were chosen one by one, each format is wanted. */
  wanted: 'all' | null
}

async function opened(uploads: Uploads, upload_id: string, { timeZone }: OwnServer): Promise<Upload> {
  const { folder, names } = await uploads.find(upload_id)
  const [only = '', ...others] = names
  const sources =
    others.length > 0
      ? await openChosen(folder)
      : [
          await openSource(join(folder, only)).catch((error: unknown) => {
            throw withoutPlace(error, `${folder}/`, '')
          }),
        ]
  return {
    filename: someNames(names, MOST_NAMES),
    sources: sources.map(source => {
      const isLoose = source.path === folder
      return {
        source: { ...source, timeZone: timeZone.name },
        from: isLoose ? looseName(source) : basename(source.path),
        wanted: isLoose ? 'all' : null,
      }
    }),
    async [Symbol.asyncDispose]() {
      for (const source of sources) await source[Symbol.asyncDispose]()
    },
  }
}

function looseName({ files: [first, ...others] }: Source): string {
  return first && others.length === 0 ? first.path : counted(others.length + 1, 'file')
}

/** A format in a source of an upload. */
interface Part extends UploadedSource {
  plan: Plan
}

/** What would be imported, and what is left out. Fails only if nothing can be imported. */
async function partsOfUpload({ sources }: Upload): Promise<{ parts: Part[]; left: string[] }> {
  const parts: Part[] = []
  const left: string[] = []
  let refusal: CodedError | null = null
  for (const { source, from, wanted } of sources) {
    try {
      const plans = partsOf(await planOf(source, undefined), source, wanted)
      parts.push(...plans.map(plan => ({ source, from, wanted, plan })))
      left.push(...plans.flatMap(plan => [...plan.skipped.map(skippedText), ...leftLines(plan.left)]))
    } catch (error) {
      refusal = withoutPlace(error, source.path, from)
      left.push(refusal.message)
    }
  }
  if (parts.length === 0 && refusal) throw refusal
  return { parts, left }
}

/** A refusal that does not name the place where an upload is kept. */
function withoutPlace(error: unknown, place: string, name: string): CodedError {
  if (!(error instanceof CodedError)) throw error
  return new CodedError(error.code, error.message.replaceAll(place, name), error.details)
}

function skippedText({ importer, finding }: Recognised): string {
  return `${importer.label}, ${counted(finding.items, 'item')}. To import them too, choose these files.`
}

/** The name that a form suggests; none if several sources will be made. */
function suggestedName([only, ...others]: readonly Part[]): string {
  return only && others.length === 0 ? defaultName(only.source, only.plan.finding) : ''
}

/** Reads as much as it can in a few seconds. */
async function previewOf(upload: Upload): Promise<Preview> {
  const { parts, left } = await partsOfUpload(upload)
  const forecast = new Forecast(
    parts.flatMap(({ plan }) => plan.leftOut),
    MOST_REJECTIONS,
  )
  const sample: Preview['sample'] = []
  const end = Date.now() + PREVIEW_MS
  let complete = true
  for (const { finding } of parts.map(({ plan }) => plan)) {
    for await (const event of finding.read(null)) {
      forecast.take(event)
      if (
        event.kind === 'record' &&
        sample.length < MOST_KINDS &&
        sample.every(({ stream }) => stream !== event.stream)
      )
        sample.push(sampleOf(finding.declaration, event))
      complete = Date.now() < end
      if (!complete) break
    }
  }
  const { seen, added, rejected } = forecast.counts
  const formats = Map.groupBy(parts, ({ plan }) => plan.importer.label)
  return {
    filename: upload.filename,
    formats: [...formats].map(([label, own]) => ({
      label,
      items: own.reduce((sum, { plan }) => sum + plan.finding.items, 0),
      exact: own.every(({ plan }) => plan.finding.exact),
    })),
    skipped: left,
    name: suggestedName(parts),
    counts: { seen, added, rejected },
    complete,
    rejections: forecast.rejections,
    sample,
  }
}
