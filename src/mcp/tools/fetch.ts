import { referenceOf } from '../../model/ids/reference.ts'
import type { JsonObject } from '../../model/json.ts'
import { text, texts } from '../arguments.ts'
import type { ResourceServerClient } from '../reading/resource-server-client.ts'
import { blobLinks } from '../rendering/ladder.ts'
import { readDocument } from '../rendering/read-document.ts'
import type { Tool, ToolAnswer } from '../tool.ts'
import { CALL, CONNECTION_ID, FLAG, output, TEXT, TEXTS } from './schemas.ts'

export const fetch: Tool = {
  name: 'fetch',
  title: 'Fetch a record',
  description:
    'Open one e-mail, message, note, document or other record by the id that search showed. Long text is cut: metadata.complete is then false and metadata.read is the call that reads on. url is a citation link for people.',
  hint: 'open a mail, message, note or document',
  input: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'as shown' },
      fields: TEXTS,
      connection_id: { ...CONNECTION_ID, description: 'only where search showed it separately' },
    },
    required: ['id'],
    additionalProperties: false,
  },
  output: output(
    {
      id: TEXT,
      title: TEXT,
      url: TEXT,
      metadata: { type: 'object', properties: { complete: FLAG, read: CALL } },
      content_ladder: { type: 'object' },
      text: TEXT,
    },
    ['id', 'title', 'url', 'metadata', 'text'],
  ),
  run: fetchRecord,
}

async function fetchRecord(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const reference = referenceOf(text(args, 'id') ?? '', text(args, 'connection_id'))
  const { document, binaries } = await readDocument(client, reference, texts(args, 'fields'))
  return { text: JSON.stringify(document), structured: document, links: blobLinks(binaries) }
}
