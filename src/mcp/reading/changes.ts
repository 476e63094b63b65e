import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { someNames } from '../../model/some-names.ts'
import { isTime } from '../../model/time-bounds.ts'
import { text } from '../arguments.ts'
import { callText, word } from '../text/quote.ts'
import { countedStreams } from './every-stream.ts'
import type { ResourceServerClient } from './resource-server-client.ts'

const MOST_NAMED = 20
const NAME_BYTES = 60

/** Refuses a request for changes that no stream can answer, with the calls that can. */
export async function assertChanges(args: JsonObject, client: ResourceServerClient): Promise<void> {
  const changes_since = text(args, 'changes_since')
  if (changes_since === undefined) return
  const stream = text(args, 'stream')
  if (isTime(changes_since)) {
    const since = { ...(stream === undefined ? {} : { stream }), since: changes_since }
    throw new CodedError(
      'invalid_request',
      `changes_since takes "beginning" or next_changes_since, not a time. For what is dated since then: ${callText({ tool: 'query_records', args: since })}`,
      { param: 'changes_since' },
    )
  }
  if (stream !== undefined) return
  const { streams } = await countedStreams(client, {})
  const first = callText({ tool: 'query_records', args: { stream: streams[0] ?? '', changes_since } })
  const names = someNames(
    streams.map(name => word(name, NAME_BYTES)),
    MOST_NAMED,
  )
  throw new CodedError(
    'invalid_request',
    `changes_since needs a stream. For what is dated since a day, in all streams, use since instead. Otherwise make a call for each (${first}) of ${names}.`,
    { param: 'stream' },
  )
}
