import type { JsonObject } from '../../model/json.ts'
import { compactStreams } from '../reading/declared-streams.ts'
import { connectionsLeft, type Narrowing } from '../reading/narrowing.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { bytesOf, visible, word } from '../text/quote.ts'
import { Reasons } from './reasons.ts'
import type { Sought } from './sought.ts'

/** Why nothing was found, as far as readable data shows it. */
export interface Nothing {
  /** The names of the sources that were searched; of many, the first. */
  searched: string[]
  /** How many more sources were searched. */
  searched_more: number
  time_zone: string
  reasons: string[]
  /** Where the owner can grant more; whether there is more is never revealed. */
  apps: string
}

const MOST_SOURCES = 12

/** Null for another server, which cannot be asked: only our own has the console and the operators. */
export async function whyNothing(client: ResourceServerClient, sought: Sought): Promise<Nothing | null> {
  const capabilities = await capabilitiesOf(client)
  if (!capabilities.has('operators') || !capabilities.has('records_by_time')) return null
  const readable = (await compactStreams(client)).filter(
    ({ stream }) => sought.streams === undefined || sought.streams.includes(String(stream)),
  )
  const search = new Reasons(client, readable, sought)
  const reasons = [
    ...(await search.ofOperators()),
    ...(await search.ofConditions()),
    ...(await search.ofWords()),
    ...(await search.ofTime()),
    ...search.ofTimeless(),
  ]
  const sources = sourcesOf(readable, sought.narrowing)
  const searched = sources.slice(0, MOST_SOURCES)
  return {
    searched,
    searched_more: sources.length - searched.length,
    time_zone: sought.zone.name,
    reasons,
    apps: `${client.provider.url}/apps`,
  }
}

function sourcesOf(streams: readonly JsonObject[], narrowing: Narrowing): string[] {
  const connections = streams.flatMap(stream => connectionsLeft(stream, narrowing))
  return [...new Set(connections.map(({ display_name }) => String(display_name)))].sort()
}

const MOST_BYTES = 1_500

/** What was searched, why nothing was found as far as is known, and who can grant more. */
export function nothingLines({ searched, searched_more, time_zone, reasons, apps }: Nothing): string[] {
  const names = searched.length === 0 ? 'no source' : searched.map(name => word(name, 40)).join(', ')
  const sources = searched_more === 0 ? names : `${names} and ${searched_more} more`
  const lines = [`Searched: ${sources}. Time zone: ${word(time_zone, 60)}.`, ...reasons]
  const last = `The owner can let you read more at ${apps}`
  while (lines.length > 1 && bytesOf([...lines, last].join('\n')) > MOST_BYTES) lines.pop()
  return [...lines, last].map(visible)
}

/** The same for programs. */
export function nothingContent({ searched, searched_more, time_zone, reasons, apps }: Nothing): JsonObject {
  const more = searched_more === 0 ? {} : { searched_more }
  return { nothing_found: { searched, ...more, time_zone, reasons, more_at: apps } }
}
