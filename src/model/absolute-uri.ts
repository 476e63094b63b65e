const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/
const MOST_CHARS = 2_000

/** Whether a text is an absolute URI (RFC 3986): a scheme followed by something, without white space. */
export function isAbsoluteUri(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MOST_CHARS && ABSOLUTE_URI.test(text)
}
