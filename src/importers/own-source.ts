import {
  type Declaration,
  OWN_PUBLISHER,
  type StreamDeclaration,
  sourceIdOf,
} from '../model/declaration/declaration.ts'
import { withAttachmentTexts } from './extraction/attachment-fields.ts'
import { recordIdOf } from './record-id.ts'

/** The declaration of one of our own sources. The key never changes; the version is a hash of the streams. */
export function declareSource(
  connector_key: string,
  name: string,
  declared: StreamDeclaration[],
): Declaration {
  const streams = declared.map(withAttachmentTexts)
  return {
    protocol_version: '0.1.0',
    source: { kind: 'connector', id: sourceIdOf(connector_key) },
    declaration_version: recordIdOf(JSON.stringify(streams)),
    publisher: { id: OWN_PUBLISHER },
    display: { name },
    streams,
  }
}
