import * as api from '../../api/streams.ts'
import type { Source } from '../../model/access/enforce.ts'
import { instantKey, instantText } from '../../model/time.ts'
import type { RequestContext } from '../request/context.ts'
import { json } from '../request/responses.ts'
import { serve } from '../request/serve.ts'

export const listStreams = serve(api.listStreams, async context => {
  const byName = Map.groupBy(context.sources(undefined, undefined), source => source.stream.name)
  const streams = [...byName].map(([name, group]) => describe(context, name, group))
  return context.list(await Promise.all(streams))
})

export const readStream = serve(api.readStream, async context => {
  const { stream } = context.path
  return json(await describe(context, stream, context.sources(stream, context.parameters.connection_id)))
})

/** Counts and dates of what the grant lets be seen, and of nothing else. */
async function describe(context: RequestContext, name: string, sources: Source[]) {
  const { owner_id } = context
  const { scanner } = context.store
  const connections = await Promise.all(
    sources.map(async source => ({
      connection_id: source.connection_id,
      connector_key: source.connector_key,
      display_name: source.display_name,
      record_count: await scanner.call('countRecords', { owner_id, parts: [{ source, conditions: [] }] }),
      last_updated: await scanner.call('lastUpdated', { owner_id, source }),
    })),
  )
  const dates = connections.flatMap(({ last_updated }) => instantKey(last_updated ?? '') ?? [])
  const latest = dates.sort().at(-1)
  return {
    object: 'stream',
    name,
    label: sources[0]?.stream.display?.label ?? name,
    detail: sources[0]?.stream.display?.detail ?? null,
    record_count: connections.reduce((sum, { record_count }) => sum + record_count, 0),
    last_updated: latest === undefined ? null : instantText(latest),
    connections,
  } as const
}
