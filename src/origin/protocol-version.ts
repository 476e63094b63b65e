import { CodedError } from '../model/errors.ts'

export const VERSION_HEADER = 'PDPP-Version'
/** The only version of the protocol's HTTP interface. */
export const PROTOCOL_VERSION = '2026-04-06'

/** Refuses a request for another version, for any part of the server. */
export function assertVersion({ headers }: Request): void {
  const version = headers.get(VERSION_HEADER)
  if (version === null || version === PROTOCOL_VERSION) return
  const message = `This server speaks ${VERSION_HEADER} ${PROTOCOL_VERSION}. Send that version, or leave the header out.`
  throw new CodedError('unsupported_version', message, { param: VERSION_HEADER })
}
