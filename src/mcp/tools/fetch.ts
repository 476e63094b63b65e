import { namedBy } from '../../model/ids/citation.ts'
import type { JsonObject } from '../../model/json.ts'
import { text, texts } from '../arguments.ts'
import type { ResourceServerClient } from '../reading/resource-server-client.ts'
import { blobLinks } from '../rendering/ladder.ts'
import { readDocument } from '../rendering/read-document.ts'
import {
  CALL,
  CONNECTION_ID,
  each,
  exactly,
  FLAG,
  INTEGER,
  LADDER,
  named,
  TEXT,
  TEXTS,
  unlisted,
} from '../schemas.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

const METADATA = exactly(
  {
    complete: FLAG,
    read: CALL,
    ...each(named(TEXT), 'author', 'occurred_at', 'display_name'),
    ...each(unlisted(TEXT), 'connection_id', 'stream', 'record_id', 'connector_key'),
    ...each(unlisted(TEXT), 'emitted_at', 'authored_at', 'note'),
    left_out_fields: unlisted(INTEGER),
    /** Values of the record. */
    fields: named({ type: 'object' }),
  },
  ['complete', 'connection_id', 'stream'],
)

export const fetch: Tool = {
  name: 'fetch',
  title: 'Fetch a record',
  description:
    'Open one e-mail, message, note, document or other record by its id from search. Long text is cut: metadata.complete is then false and metadata.read is the call that continues. url is a citation link for people.',
  hint: 'open a mail, message, note or document',
  input: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'as shown' },
      fields: TEXTS,
      connection_id: { ...CONNECTION_ID, description: 'if shown separately' },
    },
    required: ['id'],
    additionalProperties: false,
  },
  output: exactly(
    { id: TEXT, title: TEXT, url: TEXT, metadata: METADATA, content_ladder: named(LADDER), text: TEXT },
    ['id', 'title', 'url', 'metadata', 'text'],
  ),
  aliases: { record_id: 'id', ids: 'id', uri: 'id', url: 'id' },
  run: fetchRecord,
}

async function fetchRecord(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const reference = namedBy(text(args, 'id') ?? '', text(args, 'connection_id'), client.provider.url)
  const { document, binaries } = await readDocument(client, reference, texts(args, 'fields'))
  return { text: JSON.stringify(document), structured: document, links: blobLinks(binaries) }
}
