/** A grant as the owner requested it. An omitted member means everything. */
export interface PlainGrant {
  connections?: string[]
  streams?: string[]
  fields?: string[]
  since?: string
  until?: string
  records?: string[]
}

export interface PlainSource {
  connection: string
  stream: string
  fields: string[]
  /** Always granted together with any other field. */
  required: string[]
  cursorField: string | null
  timeField: string | null
  /** The time that search uses: the consent time, or else an ordering field that is a time. */
  anyTime: string | null
  /** The searchable fields. */
  searched: string[]
}

export type PlainData = Record<string, unknown>

/** The fields of a source that a grant covers; empty if it does not cover the source. */
export function openedFields(
  grant: PlainGrant,
  { connection, stream, fields, required, timeField }: PlainSource,
): string[] {
  const named =
    grant.streams || grant.records
      ? [...(grant.streams ?? []), ...(grant.records ?? []).map(streamOf)]
      : [stream]
  const bounded = grant.since !== undefined || grant.until !== undefined
  if (!named.includes(stream) || !(grant.connections ?? [connection]).includes(connection)) return []
  if (bounded && timeField === null) return []
  const asked = fields.filter(field => (grant.fields ?? fields).includes(field))
  return asked.length === 0 ? [] : fields.filter(field => asked.includes(field) || required.includes(field))
}

/** Whether the grant shows a record of a covered source. */
function showsRecord(
  grant: PlainGrant,
  { stream, timeField }: PlainSource,
  id: string,
  data: PlainData,
): boolean {
  const ids = (grant.records ?? []).filter(record => streamOf(record) === stream)
  if (ids.length > 0 && !ids.includes(`${stream}:${id}`)) return false
  const time = Date.parse(String(timeField === null ? null : data[timeField]))
  if (grant.since !== undefined && !(time >= Date.parse(grant.since))) return false
  if (grant.until !== undefined && !(time < Date.parse(grant.until))) return false
  return true
}

/** The fields of a record that some of the grants show; null if none shows the record. */
export function visibleNames(
  grants: PlainGrant[],
  source: PlainSource,
  id: string,
  data: PlainData,
): string[] | null {
  const showing = grants.filter(
    grant => openedFields(grant, source).length > 0 && showsRecord(grant, source, id, data),
  )
  return showing.length === 0 ? null : [...new Set(showing.flatMap(grant => openedFields(grant, source)))]
}

function streamOf(record: string): string {
  return record.slice(0, record.indexOf(':'))
}
