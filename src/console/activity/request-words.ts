import { aggregate } from '../../api/aggregate.ts'
import { readBlob } from '../../api/blobs.ts'
import { fieldWindow, listRecords, readRecord } from '../../api/records.ts'
import type { Route } from '../../api/route.ts'
import { search } from '../../api/search.ts'
import { listStreams, readSchema, readStream } from '../../api/streams.ts'
import { counted } from '../../pages/words.ts'
import { type Disclosure, summed } from '../apps/app-reads.ts'

const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** What an app did, by the route it asked. */
const DID: Readonly<Record<string, string>> = {
  [nameOf(search)]: 'searched',
  [nameOf(listRecords)]: 'went through a list of records',
  [nameOf(readRecord)]: 'opened a record',
  [nameOf(fieldWindow)]: 'read a part of a text',
  [nameOf(aggregate)]: 'counted records',
  [nameOf(readBlob)]: 'downloaded a file',
  [nameOf(readSchema)]: 'asked what it may read',
  [nameOf(listStreams)]: 'asked what it may read',
  [nameOf(readStream)]: 'asked what it may read',
}

/** What these show is what they were asked for. */
const ABOUT_ONE = [readRecord, fieldWindow, readBlob].map(nameOf)

/** One request as a sentence without its subject: searched, and saw 3 records. */
export function requestWords(disclosure: Disclosure): string {
  const { route, status } = disclosure
  const did = DID[route] ?? `asked ${route}`
  if (status >= 400) return `${did}, and was refused`
  const { records, passages } = summed([disclosure])
  if (records === 0 || ABOUT_ONE.includes(route)) return did
  return `${did}, and saw ${counted(records, 'record')}${passages === 0 ? '' : ` with ${counted(passages, 'passage')}`}`
}
