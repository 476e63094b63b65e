const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/
const MOST_CHARS = 2_000

/** Whether a text is an absolute URI (RFC 3986): a scheme followed by something, without white space. */
export function isAbsoluteUri(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MOST_CHARS && ABSOLUTE_URI.test(text)
}

/** The prefix of the source ids of our own importers (RFC 4151). Permanent, because grants name their source by it. */
const OWN_SOURCES = 'tag:footnote.example,2026:sources/'

/** The publisher of the declarations of our own importers. */
export const OWN_PUBLISHER = 'tag:footnote.example,2026:publisher'

const MADE_FROM_DATA = `${OWN_SOURCES}table-`

/** Whether a source is declared by the owner's own files. If so, even its field names are personal data. */
export function isMadeFromData(source_id: string): boolean {
  return source_id.startsWith(MADE_FROM_DATA)
}

export function sourceIdOf(connector_key: string): string {
  return OWN_SOURCES + connector_key
}

/** A short name for a source, for people and for responses: the last segment of its id. It is not unique. */
export function connectorKeyOf(source_id: string): string {
  return (
    source_id
      .split(/[/#?:]/)
      .filter(segment => segment !== '')
      .at(-1) ?? source_id
  )
}
